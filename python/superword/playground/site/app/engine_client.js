// The page's side of the worker: calls, calls of which the latest counts, a fresh start after a crash.

const WORKER = new URL("./engine_worker.js", import.meta.url);

export class EngineClient {
  constructor() {
    this.pending = new Map();
    this.channels = new Map();
    this.opened = new Map();
    this.lastId = 0;
    this.isRestarting = false;
    this.failure = null;
    this.start();
  }

  start() {
    this.worker = new Worker(WORKER, { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
    this.worker.onerror = (event) => this.restart(event.message || "the engine could not be started");
  }

  /** Call a method of the worker. */
  call(method, ...args) {
    return this.send({ method, args });
  }

  /**
   * Call a method of which only the latest call counts. While one is under way, later calls wait,
   * and each replaces the one before it, which then gives nothing.
   */
  async callLatest(channel, method, ...args) {
    const state = this.channels.get(channel) ?? { latest: 0, running: null };
    this.channels.set(channel, state);
    const turn = ++state.latest;
    while (state.running) {
      await state.running;
      if (turn !== state.latest) return undefined;
    }
    const answer = this.call(method, ...args);
    state.running = answer.then(() => {}, () => {});
    try {
      const result = await answer;
      return turn === state.latest ? result : undefined;
    } finally {
      state.running = null;
    }
  }

  /** Train in this worker, reporting progress. */
  train(text, config, onProgress) {
    return this.send({ method: "train", args: [text, config], onProgress });
  }

  /** Open a model under a key of the page, and keep its file in case the engine crashes. */
  async open(key, bytes, name) {
    const summary = await this.call("open", key, bytes, name);
    this.opened.set(key, { bytes, name });
    return summary;
  }

  async close(key) {
    this.opened.delete(key);
    await this.call("close", key);
  }

  /** End the worker at once. What is under way fails. */
  end() {
    this.worker.terminate();
    this.failure = "stopped";
    this.failAll(this.failure);
  }

  send({ method, args, onProgress }) {
    if (this.failure) return Promise.reject(new Error(this.failure));
    const id = ++this.lastId;
    return new Promise((resolve, reject) => {
      this.pending.set(id, { resolve, reject, onProgress });
      this.worker.postMessage({ id, method, args });
    });
  }

  receive({ id, result, error, progress, hasCrashed }) {
    const waiting = this.pending.get(id);
    if (!waiting) return;
    if (progress) {
      waiting.onProgress?.(progress);
      return;
    }
    this.pending.delete(id);
    if (error === undefined) {
      this.isRestarting = false;
      waiting.resolve(result);
    } else {
      waiting.reject(new Error(error));
    }
    if (hasCrashed) this.restart(error);
  }

  /** Start a fresh engine, and open the same models again. */
  restart(reason) {
    this.worker.terminate();
    this.failAll(`the engine stopped: ${reason}`);
    // An engine that stops again before it has done anything would do so for ever.
    if (this.isRestarting) this.failure = `the engine does not start: ${reason}`;
    if (this.failure) return;
    this.isRestarting = true;
    this.start();
    for (const [key, { bytes, name }] of this.opened) {
      this.call("open", key, bytes, name).catch(() => {});
    }
  }

  failAll(reason) {
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { reject } of waiting) reject(new Error(reason));
  }
}
