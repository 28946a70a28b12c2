// The view in the link's hash: packed when it changes, unpacked and checked when the page opens.

const VERSION = 1;
// Browsers and chats shorten or refuse longer links.
const MAX_LENGTH = 24000;
const MAX_PACKED = 200_000;
// A short link can hold a very long text of one letter.
const MAX_INFLATED = 4_000_000;

/** Return the hash for a view, without the texts that are too long for a link. */
export async function packView(view) {
  // Packing a long text would take time, and be in vain.
  if (view.text.length + view.corpus.length <= MAX_PACKED) {
    const hash = await pack(view);
    if (hash.length <= MAX_LENGTH) return { hash, isWhole: true };
  }
  const models = view.models.filter((model) => !model.training);
  return { hash: await pack({ ...view, text: "", corpus: "", models }), isWhole: false };
}

/** Return the view of a hash, or nothing if it has none. */
export async function unpackView(hash) {
  const packed = /^#v1=([\w-]+)$/.exec(hash)?.[1];
  if (!packed) return null;
  try {
    return checkView(JSON.parse(await inflate(packed)));
  } catch {
    return null;
  }
}

async function pack(view) {
  return `#v${VERSION}=${await deflate(JSON.stringify(view))}`;
}

/** Keep what has the right type: a link may come from anyone. */
function checkView(given) {
  const models = Array.isArray(given.models) ? given.models : [];
  return {
    text: asString(given.text),
    corpus: asString(given.corpus),
    models: models.slice(0, 4).map(checkModel).filter(Boolean),
    view: ["tokens", "rules", "cut"].includes(given.view) ? given.view : "tokens",
    rule: asCount(given.rule),
    cut: asCount(given.cut),
    first: asCount(given.first),
    outline: given.outline !== false,
  };
}

function checkModel(model) {
  if (typeof model?.name !== "string") return null;
  const { training } = model;
  if (!training) return { name: model.name };
  return {
    name: model.name,
    training: {
      vocab_size: Math.min(Math.max(asCount(training.vocab_size) ?? 256, 256), 65536),
      supermerges: training.supermerges === true,
      deletion: training.deletion === "bytes" ? "bytes" : null,
      pattern: asString(training.pattern),
      ...(training.supermerges === true && { max_superwords: null }),
    },
  };
}

function asString(value) {
  return typeof value === "string" ? value : "";
}

function asCount(value) {
  return Number.isSafeInteger(value) && value >= 0 ? value : null;
}

async function deflate(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function inflate(packed) {
  const binary = atob(packed.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const decoder = new TextDecoder();
  let text = "";
  for (const reader = stream.getReader(); ; ) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_INFLATED) throw new Error("the link holds too much text");
  }
}
