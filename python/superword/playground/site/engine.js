// The core of superword in a page, in a worker or in Node: a layer over superword.wasm.
//
// Every failure is an Error with a sentence. Files and texts never end the engine. If it runs out of
// memory, it is lost: `isLost` is then true, and `openEngine` opens another.

const STAGES = ["count", "merges", "bigrams", "fragments", "supermerges", "encode"];

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * Opens an engine.
 * @param {ArrayBuffer|Uint8Array|Response|Promise<Response>} source The content of superword.wasm.
 */
export async function openEngine(source) {
  const given = await source;
  const isContent = given instanceof ArrayBuffer || ArrayBuffer.isView(given);
  const bytes = isContent ? given : await given.arrayBuffer();
  const hooks = { report: null, error: null };
  const page = {
    // An error must not pass through the core, which would leave it in the middle of a call.
    report_progress(stage, done, total) {
      try {
        return hooks.report?.(done, total, STAGES[stage]) === false ? 1 : 0;
      } catch (error) {
        hooks.error = error;
        return 1;
      }
    },
  };
  const { instance } = await WebAssembly.instantiate(bytes, { page });
  return new Engine(instance.exports, hooks);
}

export class Engine {
  #core;
  #hooks;
  // The last text of each model of which steps were shown.
  #replayed = new Map();
  #isBusy = false;
  isLost = false;

  constructor(core, hooks) {
    this.#core = core;
    this.#hooks = hooks;
    core.keep_panic_message();
  }

  /** Opens a file of any kind: a model, a tokenizer.json, a tekken.json, a tiktoken file. */
  load(bytes, name = "") {
    return this.#callForJson("load_model", [], [bytes, name]);
  }

  /** Closes a model. */
  free(handle) {
    this.#call("free_model", [handle], []);
    this.#replayed.delete(handle);
  }

  /** Returns the ids of a text, and the end of each token in bytes. */
  encode(handle, text) {
    this.#call("encode_text", [handle], [text]);
    return { ids: this.#numbers(0), ends: this.#numbers(1) };
  }

  /** Returns the end of each pretoken in bytes; of the first stage, if the model has two. */
  pretokens(handle, text) {
    this.#call("split_text", [handle], [text]);
    return this.#numbers(0);
  }

  /** Returns the bytes of ids. */
  decode(handle, ids) {
    const numbers = Uint32Array.from(ids);
    this.#call("decode_ids", [handle], [new Uint8Array(numbers.buffer)]);
    return this.#bytes(0);
  }

  /** Describes a token: its bytes, kind, words, first rule and count. */
  token(handle, id) {
    const described = this.#callForJson("describe_token", [handle, id], []);
    return { ...described, bytes: this.#bytes(1) };
  }

  /** Returns a token as a tree: each token with the two that its first rule joins. */
  derivation(handle, id) {
    const list = this.#callForJson("derive_token", [handle, id], []);
    const bytes = this.#bytes(1);
    const nodes = list.map(({ start, end, id, kind, rule, count }) => ({
      token: bytes.subarray(start, end), id, kind, rule, count, left: null, right: null,
    }));
    list.forEach(({ parts }, at) => {
      if (parts) [nodes[at].left, nodes[at].right] = parts.map((part) => nodes[part]);
    });
    return nodes[0];
  }

  /** Applies the rules to a text: which change it, and of which kinds (0 merge, 1 supermerge,
   * 2 delete, 3 removed; the rule of a removal is -1). */
  steps(handle, text) {
    this.#replayed.delete(handle);
    this.#call("replay_text", [handle], [text]);
    const rules = new Int32Array(this.#bytes(0).buffer);
    const kinds = this.#bytes(1);
    this.#replayed.set(handle, text);
    return { count: rules.length, rules, kinds };
  }

  /** Returns a text after this many steps: the ends of tokens and of units in bytes, and whether the
   * last step changed each token. Steps of the last text of each model are cheap. */
  at_step(handle, text, step) {
    if (this.#replayed.get(handle) !== text) this.steps(handle, text);
    this.#call("show_step", [handle, step], []);
    return { ends: this.#numbers(0), units: this.#numbers(1), changed: this.#bytes(2) };
  }

  /** Encodes a text that may go on: no continuation changes its first `stable_count` tokens. */
  stable(handle, text) {
    this.#call("encode_open_text", [handle], [text]);
    return { ids: this.#numbers(0), ends: this.#numbers(1), stable_count: this.#numbers(2)[0] };
  }

  /** Summarizes a model as `superword inspect --json` does; tokens are Uint8Arrays. */
  inspect(handle, top = 20, rules_per_stretch = 8192) {
    const found = this.#callForJson("inspect_model", [handle, top, rules_per_stretch], []);
    const withBytes = (superword) => ({ ...superword, token: readBytes(superword.token) });
    return {
      ...found,
      top_superwords: found.top_superwords.map(withBytes),
      longest_superwords: found.longest_superwords.map(withBytes),
      deleted: found.deleted.map(readBytes),
    };
  }

  /**
   * Trains a model, and opens it.
   * @param {string|string[]} text A document, or a list of documents.
   * @param {object} config The fields of TrainingConfig, and special_tokens.
   * @param {function(number, number, string)} report Gets how far a stage is, how far it goes, and
   *   its name. If it returns false, training ends with an error.
   */
  train(text, config, report = null) {
    const texts = typeof text === "string" ? [text] : text;
    const documents = texts.map((document) => encoder.encode(document));
    const ends = new Uint32Array(documents.length);
    documents.reduce((start, document, at) => (ends[at] = start + document.length), 0);
    const joined = new Uint8Array(ends.at(-1) ?? 0);
    documents.forEach((document, at) => joined.set(document, ends[at] - document.length));
    this.#hooks.report = report;
    try {
      const inputs = [joined, new Uint8Array(ends.buffer), JSON.stringify(config)];
      return this.#callForJson("train_model", [], inputs);
    } catch (error) {
      throw this.#hooks.error ?? error;
    } finally {
      this.#hooks.report = this.#hooks.error = null;
    }
  }

  /** Returns the content of a model's file. */
  save(handle) {
    this.#call("save_model", [handle], []);
    return this.#bytes(0);
  }

  /** Calls a function of the core on numbers and inputs; throws its sentence if it fails. */
  #call(name, numbers, inputs) {
    if (this.isLost) throw new Error("the engine was lost; open it again");
    if (this.#isBusy) throw new Error("the engine is training; report must not call it");
    let succeeded;
    inputs.forEach((input, number) => this.#write(number, input));
    this.#isBusy = true;
    try {
      succeeded = this.#core[name](...numbers);
    } catch (error) {
      this.isLost = true;
      throw new Error(this.#explain(error), { cause: error });
    } finally {
      this.#isBusy = false;
    }
    if (!succeeded) throw new Error(decoder.decode(this.#bytes(0)));
  }

  #callForJson(name, numbers, inputs) {
    this.#call(name, numbers, inputs);
    return JSON.parse(decoder.decode(this.#bytes(0)));
  }

  #write(number, input) {
    const bytes = typeof input === "string" ? encoder.encode(input) : new Uint8Array(input);
    const start = this.#core.reserve_input(number, bytes.length);
    if (start === 0) throw new Error("there is not enough memory for the text or file");
    new Uint8Array(this.#core.memory.buffer, start, bytes.length).set(bytes);
  }

  #bytes(number) {
    const start = this.#core.result_start(number);
    return new Uint8Array(this.#core.memory.buffer, start, this.#core.result_length(number)).slice();
  }

  #numbers(number) {
    return new Uint32Array(this.#bytes(number).buffer);
  }

  /** Says why the engine is lost. A panic leaves a message; running out of memory does not. */
  #explain(error) {
    const length = this.#core.panic_length();
    const message = new Uint8Array(this.#core.memory.buffer, this.#core.panic_start(), length);
    const reason = length ? decoder.decode(message) : `out of memory (${error.message})`;
    return `the engine failed and must be opened again: ${reason}`;
  }
}

/** Returns the bytes of a string with a character for each. */
function readBytes(spelled) {
  return Uint8Array.from(spelled, (character) => character.charCodeAt(0));
}
