// The worker in which the engine runs, so that the page never waits for it.

import { openEngine } from "../engine.js";
import { countSuperwords, markDifferences } from "./boundaries.js";
import { trimTree } from "./trimming.js";

// The largest derivation that the page draws, the superwords that it lists, the steps of a plot.
const MAX_NODES = 300;
const LISTED = 20;
const STRETCHES = 24;
const encoder = new TextEncoder();
const opening = openEngine(fetch(new URL("../superword.wasm", import.meta.url)));
// The engine's handles by the page's keys, which stay the same when the engine starts anew.
const handles = new Map();
let engine;

const methods = {
  open(key, bytes, name) {
    const summary = engine.load(bytes, name);
    handles.set(key, summary.handle);
    return summary;
  },

  close(key) {
    engine.free(handles.get(key));
    handles.delete(key);
  },

  /** Encode a text with several models; `limit` is the number of bytes that the page draws. */
  encodeAll(keys, text, limit) {
    const bytes = encoder.encode(text);
    const columns = keys.map((key) => attempt(() => encodeOne(handles.get(key), text)));
    const encoded = columns.filter((column) => !column.error);
    const marks = markDifferences(encoded.map((column) => column.ends), limit);
    encoded.forEach((column, at) => (column.differs = marks[at]));
    return { bytes: bytes.slice(0, limit), byteCount: bytes.length, columns };
  },

  /** Encode a prefix, and say how many tokens no continuation changes. */
  encodePrefix(keys, text) {
    const columns = keys.map((key) =>
      attempt(() => {
        const handle = handles.get(key);
        const { ids, ends, stable_count: stableCount } = engine.stable(handle, text);
        return { ids, ends, stableCount, pretokens: engine.pretokens(handle, text) };
      }),
    );
    return { bytes: encoder.encode(text), columns };
  },

  /** Return the rules that change a text, for several models. */
  listSteps(keys, text) {
    return keys.map((key) =>
      attempt(() => {
        const { rules, kinds } = engine.steps(handles.get(key), text);
        return { rules, kinds };
      }),
    );
  },

  /** Return a text after some steps, for several models. */
  showSteps(wanted, text) {
    const columns = wanted.map(({ key, step }) =>
      attempt(() => {
        const { ends, changed } = engine.at_step(handles.get(key), text, step);
        return { ends, changed, pretokens: engine.pretokens(handles.get(key), text) };
      }),
    );
    return { bytes: encoder.encode(text), columns };
  },

  describeToken: (key, id) => engine.token(handles.get(key), id),
  derive: (key, id) => trimTree(engine.derivation(handles.get(key), id), MAX_NODES),
  inspect: (key) => inspect(handles.get(key)),

  /** Train a model on documents between blank lines, and return its file. */
  train(text, config, report) {
    const { handle, warnings } = engine.train(text.split("\n\n"), config, report);
    try {
      return { bytes: engine.save(handle), inspection: inspect(handle), warnings };
    } finally {
      engine.free(handle);
    }
  },
};

/** Inspect a model, in stretches that make a plot. */
function inspect(handle) {
  const { rules } = engine.inspect(handle);
  const count = rules.merge + rules.supermerge + rules.delete;
  return engine.inspect(handle, LISTED, Math.max(1, Math.ceil(count / STRETCHES)));
}

function encodeOne(handle, text) {
  const { ids, ends } = engine.encode(handle, text);
  const column = { ids, ends, pretokens: engine.pretokens(handle, text) };
  column.superwordCount = countSuperwords(column.ends, column.pretokens);
  return column;
}

/** Return what an action returns, or its error; one column does not take the others with it. */
function attempt(action) {
  try {
    return action();
  } catch (error) {
    if (engine.isLost) throw error;
    return { error: error.message };
  }
}

/** List the buffers of a result, which are handed over and not copied. */
function listBuffers(value, found = new Set()) {
  if (ArrayBuffer.isView(value)) {
    if (value.byteLength === value.buffer.byteLength) found.add(value.buffer);
  } else if (value && typeof value === "object") {
    for (const each of Object.values(value)) listBuffers(each, found);
  }
  return [...found];
}

self.onmessage = async ({ data: { id, method, args } }) => {
  try {
    engine ??= await opening;
    const report = (done, total, stage) => self.postMessage({ id, progress: { done, total, stage } });
    const result = methods[method](...args, report);
    self.postMessage({ id, result }, listBuffers(result));
  } catch (error) {
    self.postMessage({ id, error: error.message, hasCrashed: engine?.isLost ?? true });
  }
};
