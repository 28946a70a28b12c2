// A text box that holds any length: it shows the beginning, and keeps the rest of a long text aside.

import { find } from "./dom.js";
import { formatBytes } from "./numbers.js";
import { alignOffset } from "./text_cuts.js";

// A browser lays out the whole text of a box at every change.
const SHOWN = 150_000;
const BEGINNING = 50_000;

export class LongText {
  /** `id` is the box; elements beside it, with ids made from it, say what is not shown. */
  constructor(id, onChange) {
    this.box = find(id);
    this.tail = "";
    this.notice = find(`${id}-tail`);
    this.size = find(`${id}-tail-size`);
    this.onChange = onChange;
    this.box.addEventListener("input", onChange);
    this.box.addEventListener("paste", (event) => this.paste(event));
    find(`drop-${id}-tail`).addEventListener("click", () => {
      this.set(this.box.value);
      onChange();
    });
  }

  get value() {
    return this.box.value + this.tail;
  }

  /** Put a text into the box, as much of it as the box can show. */
  set(text) {
    const shown = text.length <= SHOWN ? text.length : alignOffset(text, BEGINNING);
    this.box.value = text.slice(0, shown);
    // A box turns all line ends into \n.
    this.tail = text.slice(shown).replace(/\r\n?/g, "\n");
    const size = formatBytes(this.tail.length);
    this.size.textContent = `The box shows the beginning; ${size} more count and are not shown.`;
    this.notice.hidden = !this.tail;
  }

  paste(event) {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    const { selectionStart, selectionEnd, value } = this.box;
    if (value.length + pasted.length <= SHOWN) return;
    event.preventDefault();
    this.set(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd) + this.tail);
    this.onChange();
  }
}
