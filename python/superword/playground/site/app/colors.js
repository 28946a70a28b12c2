// The color of a token: a hue by its bytes, so that a token has one color in every column.

const HUES = 24;

/** Return the hue of bytes, in degrees: FNV-1a, spread over a wheel of distinct hues. */
export function hueOf(bytes) {
  let hash = 0x811c9dc5;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  hash ^= hash >>> 15;
  return ((hash % HUES) * 360) / HUES;
}
