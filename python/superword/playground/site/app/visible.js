// Bytes as visible text: what has no shape of its own is shown by a sign.

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// Separators, controls, formats, and what is not assigned.
const INVISIBLE = /[\p{Z}\p{C}]/u;
const SIGNS = new Map([
  [" ", "·"],
  ["\n", "⏎"],
  ["\r", "␍"],
  ["\t", "⇥"],
  ["\u00a0", "⍽"],
]);

/** Split bytes into pieces `{ text, isSign }`; bytes that are not UTF-8 are in hexadecimal. */
export function splitVisible(bytes) {
  const pieces = [];
  for (const chunk of splitValid(bytes)) {
    if (typeof chunk === "string") {
      for (const character of chunk) addCharacter(pieces, character);
    } else {
      add(pieces, chunk.map(hex).join(" "), true, true);
    }
  }
  return pieces;
}

/** Return bytes as one line of visible text. */
export function showBytes(bytes) {
  return splitVisible(bytes).map((piece) => piece.text).join("");
}

/** Return a byte as two hexadecimal digits. */
export function hex(byte) {
  return byte.toString(16).toUpperCase().padStart(2, "0");
}

function addCharacter(pieces, character) {
  if (!INVISIBLE.test(character)) return add(pieces, character, false, false);
  const sign = SIGNS.get(character);
  if (sign) return add(pieces, sign, true, false);
  const point = character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
  return add(pieces, `U+${point}`, true, true);
}

function add(pieces, text, isSign, isCode) {
  const last = pieces.at(-1);
  if (last && last.isSign === isSign && !last.isCode && !isCode) last.text += text;
  else pieces.push({ text, isSign, isCode });
}

/** Split bytes into strings, and arrays of the bytes that are not UTF-8. */
function splitValid(bytes) {
  try {
    return [decoder.decode(bytes)];
  } catch {
    return splitAround(bytes);
  }
}

function splitAround(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length; ) {
    const size = characterSize(bytes, at);
    if (size) {
      const text = decoder.decode(bytes.subarray(at, at + size));
      if (typeof found.at(-1) === "string") found[found.length - 1] += text;
      else found.push(text);
    } else if (Array.isArray(found.at(-1))) {
      found.at(-1).push(bytes[at]);
    } else {
      found.push([bytes[at]]);
    }
    at += size || 1;
  }
  return found;
}

/** Return the size of the character at an offset, or 0 if it is not a whole one. */
function characterSize(bytes, at) {
  const lead = bytes[at];
  const size = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (!size || at + size > bytes.length) return 0;
  try {
    decoder.decode(bytes.subarray(at, at + size));
    return size;
  } catch {
    return 0;
  }
}
