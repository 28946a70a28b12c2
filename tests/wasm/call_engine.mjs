// Calls every function of engine.js, and prints the answers as JSON: node call_engine.mjs SITE MODEL TEXT
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [site, model, text] = process.argv.slice(2);
const { Engine, openEngine } = await import(pathToFileURL(`${site}/engine.js`));
const wasm = readFileSync(`${site}/superword.wasm`);
const engine = await openEngine(new Response(wasm));

function failure(call) {
  try {
    call();
  } catch (error) {
    return error.message;
  }
}

const summary = engine.load(readFileSync(model), "model.json");
const { handle } = summary;
const encoded = engine.encode(handle, text);
const steps = engine.steps(handle, text);
const derivation = engine.derivation(handle, encoded.ids[0]);
const flatten = (node) => (node.left ? [flatten(node.left), flatten(node.right)] : [...node.token]);
const stages = new Set();
const config = { vocab_size: 300, min_count: 1 };
const trained = engine.train([text, text], config, (done, total, stage) => void stages.add(stage));
const stopped = failure(() => engine.train(text, config, () => false));
const thrown = failure(() =>
  engine.train(text, config, () => {
    throw new Error("the page is gone");
  }),
);
const nested = failure(() => engine.train(text, config, () => engine.encode(handle, text)));

// An engine that runs out of memory, as its core tells it.
const lost = new Engine(
  {
    memory: { buffer: new ArrayBuffer(8) },
    keep_panic_message() {},
    panic_length: () => 0,
    panic_start: () => 0,
    free_model() {
      throw new WebAssembly.RuntimeError("unreachable");
    },
  },
  {},
);

const answers = {
  summary,
  ids: encoded.ids,
  ends: encoded.ends,
  pretokens: engine.pretokens(handle, text),
  decoded: engine.decode(handle, encoded.ids),
  token: engine.token(handle, encoded.ids[0]),
  derivation: flatten(derivation).flat(Infinity),
  steps: { count: steps.count, rules: steps.rules, kinds: steps.kinds },
  first_step: engine.at_step(handle, text, 0),
  last_step: engine.at_step(handle, text, steps.count),
  other_text: engine.at_step(handle, "be", 0),
  other_model: engine.at_step(trained.handle, text, 0).ends.length,
  other_text_again: engine.at_step(handle, "be", 0),
  stable: engine.stable(handle, text),
  inspection: engine.inspect(handle, 3),
  saved: Buffer.from(engine.save(handle)).toString("base64"),
  trained: Buffer.from(engine.save(trained.handle)).toString("base64"),
  stages: [...stages],
  failures: {
    stopped,
    thrown,
    nested,
    file: failure(() => engine.load(new Uint8Array([1, 2]), "a.json")),
    id: failure(() => engine.decode(handle, [4000000])),
    memory: failure(() => lost.free(1)),
    lost: failure(() => lost.free(1)),
    freed: (engine.free(handle), failure(() => engine.encode(handle, text))),
  },
  still_works: engine.encode(trained.handle, text).ids.length,
};
const plain = (key, value) => (ArrayBuffer.isView(value) ? [...value] : value);
console.log(JSON.stringify(answers, plain));
