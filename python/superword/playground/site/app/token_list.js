// Tokens as pills, drawn in chunks when they come into view: long texts cost no more than short ones.

import { findAfter } from "./boundaries.js";
import { create } from "./dom.js";
import { BREAK, createPill, endsLine, findDirection, hasRightToLeft } from "./pill.js";

// A chunk ends with a line if it can.
const MIN_CHUNK = 60;
const MAX_CHUNK = 240;
const BYTES_PER_LINE = 60;
const LINE_HEIGHT = 36;
const decoder = new TextDecoder();

export class TokenList {
  /** `onOpen` is called with the index of a token that is clicked, `onPoint` with a pill or null. */
  constructor(label, { onOpen, onPoint }) {
    this.element = create("div", { class: "tokens", role: "group", "aria-label": label });
    this.chunks = [];
    this.active = 0;
    this.onOpen = onOpen;
    this.onPoint = onPoint;
    this.observer = new IntersectionObserver((entries) => this.observe(entries), {
      root: this.element,
      rootMargin: "120px",
    });
    this.listen();
  }

  /**
   * Show an encoding: the bytes of the text that are drawn, the ids if tokens have some, the ends of
   * tokens and pretokens, a function that gives the further classes of a token, and the rest of a
   * text that is cut there.
   */
  show({ bytes, ids = null, ends, pretokens, classify = () => "", rest = null }) {
    const previous = this.encoding;
    this.encoding = { bytes, ids, ends, pretokens, classify, rest };
    this.count = findAfter(ends, bytes.length);
    this.active = Math.min(this.active, Math.max(this.count - 1, 0));
    const starts = this.splitChunks();
    while (this.chunks.length > starts.length) {
      const { element } = this.chunks.pop();
      this.observer.unobserve(element);
      element.remove();
    }
    starts.forEach((from, at) => this.placeChunk(at, from, starts[at + 1] ?? this.count, previous));
  }

  /** Start from the top, with nothing remembered of what was shown. */
  reset() {
    this.clear();
    this.element.scrollTop = 0;
    this.active = 0;
  }

  clear() {
    this.show({ bytes: new Uint8Array(), ends: new Uint32Array(), pretokens: new Uint32Array() });
  }

  /** Move the keyboard's focus to a token. */
  focus(index) {
    const chunk = this.chunks.find(({ to }) => index < to);
    if (!chunk) return;
    if (!chunk.isDrawn) this.draw(chunk);
    this.pillAt(this.active)?.setAttribute("tabindex", -1);
    this.active = index;
    const pill = this.pillAt(index);
    pill.setAttribute("tabindex", 0);
    pill.focus();
  }

  pillAt(index) {
    return this.element.querySelector(`[data-index="${index}"]`);
  }

  splitChunks() {
    const { bytes, ends } = this.encoding;
    const starts = [0];
    for (let token = 1, from = 0; token < this.count; token++) {
      const isLong = token - from >= MIN_CHUNK && bytes[ends[token - 1] - 1] === 10;
      if (isLong || token - from >= MAX_CHUNK) starts.push((from = token));
    }
    return starts;
  }

  placeChunk(at, from, to, previous) {
    const chunk = this.chunks[at] ?? this.addChunk();
    const isPlaced = chunk.isDrawn && chunk.from === from && chunk.to === to;
    if (isPlaced && looksSame(previous, this.encoding, from, to)) return;
    Object.assign(chunk, { from, to });
    if (chunk.isVisible || at === 0) {
      this.draw(chunk);
    } else {
      const size = this.encoding.ends[to - 1] - this.encoding.ends[from - 1];
      this.blank(chunk, chunk.height ?? Math.ceil(size / BYTES_PER_LINE) * LINE_HEIGHT);
    }
  }

  addChunk() {
    const chunk = { element: create("div", { class: "chunk" }), isVisible: false, isDrawn: false };
    this.chunks.push(chunk);
    this.element.append(chunk.element);
    this.observer.observe(chunk.element);
    return chunk;
  }

  observe(entries) {
    for (const { target, isIntersecting } of entries) {
      const chunk = this.chunks.find(({ element }) => element === target);
      if (!chunk) continue;
      chunk.isVisible = isIntersecting;
      if (isIntersecting && !chunk.isDrawn) this.draw(chunk);
      else if (!isIntersecting && chunk.isDrawn && !target.contains(document.activeElement)) {
        chunk.height = target.offsetHeight;
        this.blank(chunk, chunk.height);
      }
    }
  }

  blank(chunk, height) {
    if (chunk.isDrawn) chunk.element.replaceChildren();
    chunk.isDrawn = false;
    chunk.element.style.minHeight = `${height}px`;
  }

  draw(chunk) {
    const { bytes, ids, ends, pretokens, classify, rest } = this.encoding;
    const start = chunk.from ? ends[chunk.from - 1] : 0;
    const nodes = [];
    for (let index = chunk.from, from = start; index < chunk.to; from = ends[index++]) {
      const spelling = bytes.subarray(from, ends[index]);
      const isButton = ids !== null;
      const pill = createPill({ bytes: spelling, start: from, pretokens, index, isButton });
      const names = classify(index);
      if (names) pill.className += ` ${names}`;
      if (ids && index === this.active) pill.setAttribute("tabindex", 0);
      nodes.push(pill, endsLine(spelling) ? create("br") : BREAK);
    }
    if (rest !== null && chunk.to === this.count) {
      nodes.push(create("span", { class: "cut-mark" }), create("span", { class: "after-cut" }, rest));
    }
    const text = decoder.decode(bytes.subarray(start, ends[chunk.to - 1]));
    chunk.element.dir = findDirection(text);
    chunk.element.classList.toggle("bidirectional", hasRightToLeft(text));
    chunk.element.replaceChildren(...nodes);
    chunk.element.style.minHeight = "";
    chunk.isDrawn = true;
  }

  listen() {
    const pillOf = (event) => event.target.closest?.(".token");
    const indexOf = (pill) => Number(pill.dataset.index);
    this.element.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.onPoint(pillOf(event) ?? null);
    });
    this.element.addEventListener("pointerleave", () => this.onPoint(null));
    this.element.addEventListener("focusin", (event) => this.onPoint(pillOf(event) ?? null));
    this.element.addEventListener("focusout", () => this.onPoint(null));
    this.element.addEventListener("click", (event) => {
      const pill = pillOf(event);
      if (pill && this.encoding.ids) this.open(indexOf(pill));
    });
    this.element.addEventListener("keydown", (event) => {
      const pill = pillOf(event);
      if (pill && this.press(event.key, pill, indexOf(pill))) event.preventDefault();
    });
  }

  open(index) {
    this.focus(index);
    this.onOpen(index);
  }

  /** Act on a key, and say whether it means something here. */
  press(key, pill, index) {
    const isReversed = getComputedStyle(pill.parentElement).direction === "rtl";
    const steps = { ArrowRight: isReversed ? -1 : 1, ArrowLeft: isReversed ? 1 : -1 };
    const lines = { ArrowUp: -1, ArrowDown: 1 };
    if (key === "Enter" || key === " ") this.open(index);
    else if (key === "Escape") this.onPoint(null);
    else if (key in steps) this.focus(Math.min(Math.max(index + steps[key], 0), this.count - 1));
    else if (key === "Home") this.focus(0);
    else if (key === "End") this.focus(this.count - 1);
    else if (key in lines) this.focus(this.findInNextLine(pill, index, lines[key]));
    else return false;
    return true;
  }

  /** Return the token above or below a pill. */
  findInNextLine(pill, index, step) {
    const { left, top, height } = pill.getBoundingClientRect();
    let best = index;
    let bestDistance = Infinity;
    let lineTop = null;
    for (let at = index + step; at >= 0 && at < this.count; at += step) {
      const other = this.pillAt(at)?.getBoundingClientRect();
      if (!other) break;
      if (Math.abs(other.top - top) < height / 2) continue;
      lineTop ??= other.top;
      if (Math.abs(other.top - lineTop) > height / 2) break;
      if (Math.abs(other.left - left) < bestDistance) {
        bestDistance = Math.abs(other.left - left);
        best = at;
      }
    }
    return best;
  }
}

/** Say whether tokens look the same in two encodings: typing at the end leaves the beginning alone. */
function looksSame(one, other, from, to) {
  if (!one || one.ends.length < to || one.rest !== other.rest) return false;
  const start = from ? other.ends[from - 1] : 0;
  const end = to ? other.ends[to - 1] : 0;
  if ((from ? one.ends[from - 1] : 0) !== start) return false;
  for (let token = from; token < to; token++) {
    if (one.ends[token] !== other.ends[token]) return false;
    if (one.classify(token) !== other.classify(token)) return false;
  }
  for (let at = start; at < end; at++) if (one.bytes[at] !== other.bytes[at]) return false;
  const [first, second] = [one, other].map(({ pretokens }) =>
    pretokens.subarray(findAfter(pretokens, start - 1), findAfter(pretokens, end)),
  );
  return first.length === second.length && first.every((offset, at) => offset === second[at]);
}
