// The details of a token, beside the pill that is pointed at or has the focus.

import { create, find } from "./dom.js";
import { formatCount, formatCounted } from "./numbers.js";
import { hex, showBytes } from "./visible.js";

const MAX_BYTES = 24;

const KINDS = {
  byte: "single byte",
  merge: "made by a merge",
  superword: "superword",
  special: "special token",
  added: "added token",
};

export class Details {
  constructor() {
    this.element = find("details");
    this.pill = null;
    document.addEventListener("scroll", () => this.hide(), { capture: true, passive: true });
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
  }

  /** Show the details of a pill's token once they are known; `ask` asks for them. */
  async show(pill, ask) {
    this.hide();
    this.pill = pill;
    const token = await ask();
    if (this.pill !== pill || !pill.isConnected) return;
    this.element.replaceChildren(...describeToken(token));
    this.element.hidden = false;
    pill.setAttribute("aria-describedby", this.element.id);
    this.place(pill.getClientRects()[0]);
  }

  hide() {
    this.pill?.removeAttribute("aria-describedby");
    this.pill = null;
    this.element.hidden = true;
  }

  place({ left, top, bottom }) {
    const { width, height } = this.element.getBoundingClientRect();
    const isBelow = bottom + height + 10 < innerHeight || top < height + 10;
    this.element.style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    this.element.style.top = `${isBelow ? bottom + 6 : top - height - 6}px`;
  }
}

/** Describe a token: its spelling, and a list of facts. */
export function describeToken(token) {
  const kind = KINDS[token.kind] ?? token.kind;
  const shown = Array.from(token.bytes.subarray(0, MAX_BYTES), hex).join(" ");
  const facts = [
    ["id", formatCount(token.id)],
    [formatCounted(token.bytes.length, "byte"), token.bytes.length > MAX_BYTES ? `${shown} …` : shown],
    ["kind", token.words > 1 ? `superword of ${token.words} words` : kind],
  ];
  if (token.rule !== null) facts.push(["rule", formatCount(token.rule)]);
  if (token.count !== null) facts.push(["count in training", formatCount(token.count)]);
  const list = create("dl", { class: "facts" });
  for (const [name, value] of facts) list.append(create("dt", {}, name), create("dd", {}, value));
  return [create("p", { class: "spelling" }, showBytes(token.bytes)), list];
}
