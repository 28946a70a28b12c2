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
  const isAll = !first || first >= encoding.ids.length;
  // Special tokens in the text are encoded as text here, which `encode` refuses.
  const hasSpecial = Object.keys(summary.special_tokens).some((special) => text.includes(special));
  const ids = `tok.${hasSpecial ? "encode_ordinary" : "encode"}(text)${isAll ? "" : `[:${first}]`}`;
  const lines = [
    "import superword",
    "",
    ...writeOpening(source),
    `text = ${quotePython(text)}`,
    `assert ${ids} == ${listIds(column, first)}`,
    "",
  ];
  return lines.join("\n");
}

function writeOpening({ training, corpus, file, isSuperword }) {
  if (!training) return [`tok = superword.${isSuperword ? "load" : "open_base"}(${quotePython(file)})`];
  return [`corpus = ${quotePython(corpus)}`, `tok = superword.train(${writeTraining(training)})`];
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
  const escape = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(text.toWellFormed()).replace(/[\u007f-\u009f\u2028\u2029]/g, escape);
}
