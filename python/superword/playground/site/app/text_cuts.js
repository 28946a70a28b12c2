// Prefixes of texts that split no character.

const encoder = new TextEncoder();

/** Return the longest prefix that has at most this many bytes. */
export function cutText(text, maxBytes) {
  if (text.length * 3 <= maxBytes) return text;
  const { read } = encoder.encodeInto(text, new Uint8Array(maxBytes));
  return text.slice(0, read);
}

/** Return the offset, or the one before it if it is inside a character. */
export function alignOffset(text, offset) {
  const isInside = offset > 0 && text.codePointAt(offset - 1) > 0xffff;
  return isInside ? offset - 1 : offset;
}
