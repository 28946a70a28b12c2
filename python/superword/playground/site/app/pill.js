// A token as a pill: colored by its bytes, in parts by its pretokens, superwords with a word count.

import { hueOf } from "./colors.js";
import { create } from "./dom.js";
import { findAfter } from "./boundaries.js";
import { showBytes, splitVisible } from "./visible.js";

// Letters of scripts that are written from right to left: anywhere, and before any other letter.
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const STARTS_RIGHT_TO_LEFT = new RegExp(`^[^\\p{L}]*${RIGHT_TO_LEFT.source}`, "u");

const WHITE_SPACE = [9, 10, 13, 32];

/** A place where a line may be broken. */
export const BREAK = "\u200b";

/**
 * Create the pill of a token. `span` says where it is: its bytes, the offset of the first of them
 * in the text, the ends of all pretokens, and the index of the token. It is a button if the token
 * has an id, of which more can be shown.
 */
export function createPill({ bytes, start, pretokens, index, isButton }) {
  const parts = splitParts(bytes, start, pretokens);
  const words = parts.length;
  const pill = create("span", {
    class: words > 1 ? "token superword" : "token",
    role: isButton ? "button" : "img",
    tabindex: isButton ? -1 : null,
    "aria-label": describePill(bytes, words),
    "data-index": index,
  });
  pill.style.setProperty("--hue", hueOf(bytes));
  // Signs for spaces allow no line break, so that it is allowed between parts.
  parts.forEach((part, at) => pill.append(...(at ? [BREAK] : []), createPart(part)));
  if (words > 1) pill.append(create("span", { class: "words" }, String(words)));
  return pill;
}

/** Append visible text to an element, signs in a span of their own. */
export function appendVisible(element, bytes) {
  for (const { text, isSign, isCode } of splitVisible(bytes)) {
    if (isSign) element.append(create("span", { class: isCode ? "invisible code" : "invisible" }, text));
    else element.append(text);
  }
}

/** Say whether bytes end a line. */
export function endsLine(bytes) {
  const last = bytes.lastIndexOf(10);
  return last >= 0 && bytes.subarray(last).every((byte) => WHITE_SPACE.includes(byte));
}

/** Return the direction in which a text is written. */
export function findDirection(text) {
  return STARTS_RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr";
}

/** Say whether some of a text is written from right to left. */
export function hasRightToLeft(text) {
  return RIGHT_TO_LEFT.test(text);
}

/** Split a token at the ends of pretokens; each part says whether a pretoken starts and ends there. */
function splitParts(bytes, start, pretokens) {
  const parts = [];
  const end = start + bytes.length;
  let at = findAfter(pretokens, start);
  for (let from = start; from < end; ) {
    const to = Math.min(at < pretokens.length ? pretokens[at] : end, end);
    const previous = at ? pretokens[at - 1] : 0;
    parts.push({
      bytes: bytes.subarray(from - start, to - start),
      starts: from === previous,
      ends: at >= pretokens.length || to === pretokens[at],
    });
    from = to;
    at++;
  }
  return parts;
}

function createPart({ bytes, starts, ends }) {
  const names = ["part", starts && "starts", ends && "ends"].filter(Boolean).join(" ");
  const part = create("span", { class: names });
  appendVisible(part, bytes);
  return part;
}

function describePill(bytes, words) {
  const text = showBytes(bytes);
  return words > 1 ? `${text}, superword of ${words} words` : text;
}
