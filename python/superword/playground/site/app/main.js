// The start: what the link or the server asks for is opened, and the controls are connected.

import { copyText } from "./copying.js";
import { find } from "./dom.js";
import { isText, startFiles } from "./files.js";
import { packView, unpackView } from "./link.js";
import { clearMessages, showMessage } from "./messages.js";
import { fillChoices, Page } from "./page.js";
import { FIRST_TEXT, SENTENCES } from "./sentences.js";
import { startTabs } from "./tabs.js";
import { startTheme } from "./theme.js";
import { TrainingPanel } from "./training.js";

const SITE = new URL("../", import.meta.url);
const LINK_DELAY = 300;
const FIRST_VIEW = { text: FIRST_TEXT, corpus: "", models: [], view: "tokens", outline: true };
const NO_LISTING =
  "The list of tokenizers could not be read. Open the page from a web server: superword playground starts one.";

let linkTimer;
let isStarting = true;
let ownHash = "";

startTheme();
const page = new Page(saveLinkSoon);
const training = new TrainingPanel(page, saveLinkSoon);
const chooseView = startTabs(["tokens", "rules", "cut"], (view) => isStarting || page.showView(view));
connectControls();
await start();

async function start() {
  isStarting = true;
  const listing = await readListing();
  fillChoices(find("add"), "a tokenizer", listing.models.map(({ name }) => name));
  page.listing = listing;
  const view = (await unpackView(location.hash)) ?? FIRST_VIEW;
  const models = view.models.length ? view.models : listing.open.map((name) => ({ name }));
  await openView({ ...view, models });
  isStarting = false;
}

/** Show what a link holds. */
async function openView(view) {
  page.input.set(view.text);
  find("first").value = view.first ?? "";
  find("outline").checked = view.outline;
  page.showOutline();
  training.setCorpus(view.corpus);
  chooseView(view.view);
  const trained = await trainAgain(view);
  for (const model of view.models) {
    if (!model.training) await openListed(model.name);
    else if (trained.length) await page.openModel(trained.shift());
  }
  await page.update();
  await page.showView(view.view, view);
}

/** Train the models of a link, and return them in their order. */
async function trainAgain({ corpus, models }) {
  const trained = [];
  const configs = models.filter((model) => model.training).map((model) => model.training);
  if (configs.length) await training.train(corpus, configs, (found) => trained.push(...found));
  return trained;
}

async function readListing() {
  try {
    return await (await fetch(new URL("models.json", SITE))).json();
  } catch {
    showMessage(NO_LISTING);
    return { open: [], models: [] };
  }
}

/** Open a tokenizer of the list. */
async function openListed(name) {
  const listed = page.listing.models.find((model) => model.name === name);
  if (!listed) {
    showMessage(`The link shows ${name}, which is not here: drop the file on the page.`);
    return;
  }
  try {
    const answer = await fetch(new URL(listed.url, SITE));
    if (!answer.ok) throw new Error(await answer.text());
    const bytes = new Uint8Array(await answer.arrayBuffer());
    await page.openModel({ name, bytes, source: describeListed(listed) });
  } catch (error) {
    showMessage(`${name} could not be read: ${error.message.trim()}.`);
  }
}

/** Say where a tokenizer of the list came from: a sample, or a file of the command line. */
function describeListed({ name, url }) {
  const isSample = url.startsWith("samples/");
  return { isListed: true, isSample, file: isSample ? url.split("/").at(-1) : name };
}

async function openFile(file, isForTraining) {
  if (isForTraining || isText(file)) {
    const text = await file.text();
    if (isForTraining) return training.setCorpus(text);
    page.input.set(text);
  } else {
    const bytes = new Uint8Array(await file.arrayBuffer());
    await page.openModel({ name: file.name, bytes, source: { file: file.name } });
  }
  await page.update();
}

function connectControls() {
  const language = find("language");
  fillChoices(language, "a language", Object.keys(SENTENCES));
  language.addEventListener("change", () => {
    if (!language.value) return;
    page.input.set(SENTENCES[language.value]);
    page.update();
  });
  const add = find("add");
  add.addEventListener("change", async () => {
    const name = add.value;
    add.value = "";
    if (!name) return;
    clearMessages();
    await openListed(name);
    await page.update();
  });
  startFiles(async (file, isForTraining) => {
    clearMessages();
    await openFile(file, isForTraining);
  });
  find("share").addEventListener("click", share);
  addEventListener("hashchange", () => location.hash !== ownHash && location.reload());
}

/** Copy the link to this view, and say what it cannot hold. */
async function share() {
  const button = find("share");
  const isWhole = await saveLink();
  const isCopied = await copyText(location.href);
  button.textContent = isCopied ? "Link copied" : "The link is in the address bar";
  setTimeout(() => (button.textContent = "Copy link"), 1600);
  const files = page.columns.filter(({ source }) => !source.training && !source.isListed);
  const names = files.map(({ name }) => name).join(", ");
  if (!isWhole) showMessage("The text is too long for a link; the link opens the page without it.");
  if (names) showMessage(`The link does not hold files: who opens it needs ${names}.`);
}

function saveLinkSoon() {
  if (isStarting) return;
  clearTimeout(linkTimer);
  linkTimer = setTimeout(saveLink, LINK_DELAY);
}

async function saveLink() {
  clearTimeout(linkTimer);
  const { hash, isWhole } = await packView(page.describe(training.corpus.value));
  ownHash = hash;
  history.replaceState(null, "", hash);
  return isWhole;
}
