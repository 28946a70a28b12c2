// Copying ids, and Python that gives them.

/** Copy the ids of a column, or of its first tokens. */
export function copyIds(column, _text, first) {
  return copyText(listIds(column, first));
}

/** Copy Python that encodes the text with this model. */
export function copyPython(column, text, first) {
  return copyText(writePython(column, text, first));
}

/** Put text on the clipboard, and say whether that worked. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** Return Python that gives the ids of a column. */
export function writePython(column, text, first) {
  const { source, summary, encoding } = column;
  const opening = source.training
    ? [`corpus = ${quotePython(source.corpus)}`, `tok = superword.train(${writeTraining(source.training)})`]
    : [`tok = superword.${source.isSuperword ? "load" : "open_base"}(${quotePython(source.file)})`];
  const isAll = !first || first >= encoding.ids.length;
  // Special tokens in the text are encoded as text here, which `encode` refuses.
  const hasSpecial = Object.keys(summary.special_tokens).some((special) => text.includes(special));
  const ids = `tok.${hasSpecial ? "encode_ordinary" : "encode"}(text)${isAll ? "" : `[:${first}]`}`;
  return ["import superword", "", ...opening, `text = ${quotePython(text)}`, `assert ${ids} == ${listIds(column, first)}`, ""].join("\n");
}

function listIds({ encoding }, first) {
  return `[${encoding.ids.subarray(0, first || encoding.ids.length).join(", ")}]`;
}

function writeTraining(config) {
  const options = Object.entries(config).map(([name, value]) => `${name}=${writeValue(value)}`);
  return ['corpus.split("\\n\\n")', ...options].join(", ");
}

function writeValue(value) {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? quotePython(value) : String(value);
}

/** Quote a string for Python, which reads the escapes of JSON. */
export function quotePython(text) {
  return JSON.stringify(text.toWellFormed()).replace(/[\u007f-\u009f\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
