// A text box that holds any length: it shows the beginning, and keeps the rest of a long text aside.

import { find } from "./dom.js";
import { formatBytes } from "./numbers.js";
import { alignOffset } from "./text_cuts.js";

// A browser lays out the whole text of a box at every change.
const SHOWN = 150_000;
const BEGINNING = 50_000;

export class LongText {
  /** `id` is the box; `tail` and `dropTail` say what is not shown. */
  constructor({ id, tail, tailSize, dropTail }, onChange) {
    this.box = find(id);
    this.tail = "";
    this.notice = find(tail);
    this.size = find(tailSize);
    this.onChange = onChange;
    this.box.addEventListener("input", onChange);
    this.box.addEventListener("paste", (event) => this.paste(event));
    find(dropTail).addEventListener("click", () => {
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
    this.size.textContent = `The box shows the beginning; ${formatBytes(this.tail.length)} more count and are not shown.`;
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
