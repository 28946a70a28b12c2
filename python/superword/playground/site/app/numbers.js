// Numbers as people read them.

const WHOLE = new Intl.NumberFormat("en");

/** 1234567 as 1,234,567. */
export function formatCount(number) {
  return WHOLE.format(number);
}

/** A count with its noun: 1 token, 2 tokens. */
export function formatCounted(number, noun) {
  return `${formatCount(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** 0.123 as 12.3%. */
export function formatPercent(share) {
  if (share > 0 && share < 0.0005) return "<0.1%";
  return `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
}

/** 1234567 bytes as 1.2 MB. */
export function formatBytes(bytes) {
  if (bytes < 1000) return formatCounted(bytes, "byte");
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Keep a number within bounds. */
export function clamp(number, low, high) {
  return Math.min(Math.max(number, low), high);
}
