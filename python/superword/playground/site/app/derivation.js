// How a token came about, as a tree of the rules that made it and its parts.

import { create, find } from "./dom.js";
import { describeToken } from "./details.js";
import { hueOf } from "./colors.js";
import { formatCount } from "./numbers.js";
import { appendVisible } from "./pill.js";
import { showBytes } from "./visible.js";

const NAMES = { merge: "merge", superword: "supermerge" };

/** Open the dialog that shows a token and its derivation. */
export function openDerivation(token, tree, modelName) {
  const dialog = find("derivation");
  const close = create("button", { type: "button", class: "quiet", "aria-label": "Close" }, "✕");
  close.addEventListener("click", () => dialog.close());
  dialog.onclick = (event) => event.target === dialog && dialog.close();
  dialog.replaceChildren(
    create(
      "div",
      { class: "dialog-body" },
      create("div", { class: "section-head" }, create("h2", { id: "derivation-heading" }, "How this token came about"), close),
      create("p", { class: "hint" }, modelName),
      create("div", { class: "token-facts" }, ...describeToken(token)),
      create("div", { class: "tree-frame", tabindex: 0, role: "group", "aria-label": "Derivation" }, createTree(tree)),
    ),
  );
  dialog.showModal();
  const frame = dialog.querySelector(".tree-frame");
  frame.scrollLeft = (frame.scrollWidth - frame.clientWidth) / 2;
}

/** Create the tree of a token, the token at the top. */
function createTree(root) {
  return create("ul", { class: "tree", role: "tree" }, createNode(root));
}

function createNode(node) {
  const rule = describeRule(node);
  const pill = create("span", { class: node.kind === "superword" ? "token superword node" : "token node" });
  pill.style.setProperty("--hue", hueOf(node.token));
  appendVisible(pill, node.token);
  const item = create("li", { role: "treeitem", "aria-label": `${showBytes(node.token)} ${rule}`, "aria-expanded": node.left ? "true" : null });
  item.append(create("span", { class: "node-frame" }, pill, create("span", { class: `rule ${NAMES[node.kind] ?? ""}` }, rule)));
  if (node.left) item.append(create("ul", { role: "group" }, createNode(node.left), createNode(node.right)));
  return item;
}

function describeRule({ kind, rule, count, isTrimmed }) {
  if (rule === null || rule === undefined) return kind === "byte" ? "" : kind;
  const times = count ? ` ×${formatCount(count)}` : "";
  return `${NAMES[kind] ?? kind} ${formatCount(rule)}${times}${isTrimmed ? " …" : ""}`;
}
