// A cut in the text, where a prompt ends: which tokens are final, and which a continuation may change.

import { countShared } from "./boundaries.js";
import { find } from "./dom.js";
import { formatCount, formatCounted } from "./numbers.js";
import { alignOffset } from "./text_cuts.js";

// Bytes before and characters after the cut that are drawn.
const DRAWN_BEFORE = 4000;
const DRAWN_AFTER = 400;

export class CutView {
  /** `page` has the engine, the columns and the text; `onChange` is called when the cut moves. */
  constructor(page, onChange) {
    this.page = page;
    this.slider = find("cut");
    this.label = find("cut-label");
    this.onChange = onChange;
    this.slider.addEventListener("input", () => this.moveTo(Number(this.slider.value)));
    const { textBox } = page;
    for (const name of ["keyup", "pointerup", "select"]) {
      textBox.addEventListener(name, () => {
        const caret = textBox.selectionStart;
        if (page.view === "cut" && caret !== this.offset) this.moveTo(caret);
      });
    }
  }

  get offset() {
    return Number(this.slider.value);
  }

  moveTo(offset) {
    this.slider.value = alignOffset(this.page.shownText, offset);
    this.showOffset();
    this.onChange();
  }

  /** Show the text of the page; cut at an offset, or where the cut was. */
  async show(offset = null) {
    const text = this.page.shownText;
    const isFirst = this.slider.max === "0";
    this.slider.max = text.length;
    const wanted = offset ?? (isFirst ? this.findCut() : Math.min(this.offset, text.length));
    this.slider.value = alignOffset(text, wanted);
    await this.showOffset();
  }

  /** Return a cut that shows something: inside a superword in the second half, or at the end. */
  findCut() {
    const { bytes } = this.page.found;
    for (const { encoding } of this.page.columns.toReversed()) {
      const cut = encoding && findInsideToken(encoding, bytes.length >> 1);
      if (cut) return new TextDecoder().decode(bytes.subarray(0, cut)).length;
    }
    return this.page.shownText.length;
  }

  async showOffset() {
    const { engine, columns, shownText: text } = this.page;
    const offset = this.offset;
    const length = formatCount(text.length);
    this.label.textContent = `after ${formatCounted(offset, "character")} of ${length}`;
    this.slider.setAttribute("aria-valuetext", this.label.textContent);
    const keys = columns.map(({ key }) => key);
    const shown = await engine.callLatest("cut", "encodePrefix", keys, text.slice(0, offset));
    if (!shown || this.page.view !== "cut") return;
    const rest = text.slice(offset, offset + DRAWN_AFTER);
    columns.forEach((column, at) => showColumn(column, shown.bytes, shown.columns[at], rest));
  }
}

function showColumn(column, bytes, prefix, rest) {
  if (prefix.error) return column.showError(prefix.error);
  const { ids, ends, pretokens, stableCount } = prefix;
  const kept = column.encoding ? countShared(prefix, column.encoding) : ids.length;
  const classify = (index) => (index < stableCount ? "final" : index < kept ? "held" : "held changed");
  column.list.show({ ...takeEnd({ bytes, ids, ends, pretokens, classify }), rest });
  const heldBytes = bytes.length - (stableCount ? ends[stableCount - 1] : 0);
  const held = ids.length - stableCount;
  const changed = ids.length - Math.max(kept, stableCount);
  const parts = [
    `${formatCount(stableCount)} final`,
    `${formatCount(held)} held back (${formatCounted(heldBytes, "byte")})`,
  ];
  if (rest) parts.push(`the text that follows changes ${changed ? formatCount(changed) : "none"}`);
  column.showHeadline(ids.length, column.encoding?.ids.length ?? ids.length, parts.join(" · "));
  column.showNote("");
}

/** Return the last part of an encoding, so that a long text is not drawn. */
function takeEnd(encoding) {
  const { bytes, ids, ends, pretokens, classify } = encoding;
  const from = ends.findIndex((end) => end > bytes.length - DRAWN_BEFORE);
  const start = from > 0 ? ends[from - 1] : 0;
  if (!start) return encoding;
  return {
    bytes: bytes.subarray(start),
    ids: ids.subarray(from),
    ends: ends.slice(from).map((end) => end - start),
    pretokens: pretokens.filter((end) => end > start).map((end) => end - start),
    classify: (index) => classify(index + from),
  };
}

/** Return the end of the first pretoken after an offset that no token ends with. */
function findInsideToken({ ends, pretokens }, offset) {
  const known = new Set(ends);
  return pretokens.find((end) => end > offset && !known.has(end));
}
