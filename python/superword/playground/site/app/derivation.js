// How a token came about, as a tree of the rules that made it and its parts.

import { create, createClose, find } from "./dom.js";
import { describeToken } from "./details.js";
import { hueOf } from "./colors.js";
import { formatCount } from "./numbers.js";
import { appendVisible } from "./pill.js";
import { showBytes } from "./visible.js";

const NAMES = { merge: "merge", superword: "supermerge" };

/** Open the dialog that shows a token and its derivation. */
export function openDerivation(token, tree, modelName) {
  const dialog = find("derivation");
  const heading = create("h2", { id: "derivation-heading" }, "How this token came about");
  const close = createClose("Close", () => dialog.close());
  const frame = create("div", { class: "tree-frame", tabindex: 0, role: "group", "aria-label": "Derivation" });
  frame.append(create("ul", { class: "tree", role: "tree" }, createNode(tree)));
  dialog.onclick = (event) => event.target === dialog && dialog.close();
  dialog.replaceChildren(
    create(
      "div",
      { class: "dialog-body" },
      create("div", { class: "section-head" }, heading, close),
      create("p", { class: "hint" }, modelName),
      create("div", {}, ...describeToken(token)),
      frame,
    ),
  );
  dialog.showModal();
  frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}

/** Create the tree below a token, the token at the top. */
function createNode(node) {
  const { token, kind, left, right } = node;
  const rule = describeRule(node);
  const pill = create("span", { class: kind === "superword" ? "token superword node" : "token node" });
  pill.style.setProperty("--hue", hueOf(token));
  appendVisible(pill, token);
  const label = create("span", { class: `rule ${NAMES[kind] ?? ""}` }, rule);
  const item = create("li", { role: "treeitem", "aria-label": `${showBytes(token)} ${rule}` });
  item.append(create("span", { class: "node-frame" }, pill, label));
  if (left) {
    item.setAttribute("aria-expanded", "true");
    item.append(create("ul", { role: "group" }, createNode(left), createNode(right)));
  }
  return item;
}

function describeRule({ kind, rule, count, isTrimmed }) {
  if (rule === null || rule === undefined) return kind === "byte" ? "" : kind;
  const times = count ? ` ×${formatCount(count)}` : "";
  return `${NAMES[kind] ?? kind} ${formatCount(rule)}${times}${isTrimmed ? " …" : ""}`;
}
