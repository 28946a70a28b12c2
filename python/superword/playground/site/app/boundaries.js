// Where tokens and pretokens end: words in a token, superwords, differences between columns.

/** Return the index of the first end that is greater than an offset. */
export function findAfter(ends, offset) {
  let low = 0;
  let high = ends.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ends[middle] > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Count the tokens that span the end of a pretoken. */
export function countSuperwords(ends, pretokens) {
  let count = 0;
  let at = 0;
  for (let start = 0, token = 0; token < ends.length; start = ends[token++]) {
    while (at < pretokens.length && pretokens[at] <= start) at++;
    if (at < pretokens.length && pretokens[at] < ends[token]) count++;
  }
  return count;
}

/**
 * Mark the tokens of each column that are not a token of every other column, as 1 in an array per
 * column. Tokens that end after the limit are not looked at.
 */
export function markDifferences(columns, limit) {
  const marks = columns.map((ends) => new Uint8Array(Math.min(ends.length, findAfter(ends, limit))));
  for (let one = 0; one < columns.length; one++) {
    for (let other = 0; other < columns.length; other++) {
      if (one !== other) markMissing(columns[one], columns[other], marks[one]);
    }
  }
  return marks;
}

function markMissing(ends, others, marks) {
  let at = 0;
  for (let start = 0, token = 0; token < marks.length; start = ends[token++]) {
    while (at < others.length && others[at] <= start) at++;
    const otherStart = at ? others[at - 1] : 0;
    if (otherStart !== start || others[at] !== ends[token]) marks[token] = 1;
  }
}

/** Count the leading tokens that two encodings share. */
export function countShared(one, other) {
  const length = Math.min(one.ids.length, other.ids.length);
  const isShared = (at) => one.ids[at] === other.ids[at] && one.ends[at] === other.ends[at];
  let count = 0;
  while (count < length && isShared(count)) count++;
  return count;
}
