// Files that are dropped on the page or chosen: tokenizers and texts.

import { find } from "./dom.js";

/** Call `onFile` with each file, and with whether it was dropped where texts to train on go. */
export function startFiles(onFile) {
  const chooser = find("files");
  const curtain = find("dropping");
  find("open").addEventListener("click", () => chooser.click());
  chooser.addEventListener("change", async () => {
    for (const file of chooser.files) await onFile(file, false);
    chooser.value = "";
  });
  const hasFiles = (event) => event.dataTransfer?.types.includes("Files");
  document.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    curtain.hidden = false;
  });
  document.addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) curtain.hidden = true;
  });
  document.addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    curtain.hidden = true;
    const isForTraining = Boolean(event.target.closest?.("#train"));
    for (const file of [...event.dataTransfer.files]) await onFile(file, isForTraining);
  });
}

/** Say whether a file is a text to show, and not a tokenizer. */
export function isText(file) {
  return file.type.startsWith("text/");
}
