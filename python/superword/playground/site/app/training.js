// Training in the page: BPE beside BoundlessBPE, in a worker of their own.

import { createSuperwords } from "./about.js";
import { create, find } from "./dom.js";
import { EngineClient } from "./engine_client.js";
import { LongText } from "./long_text.js";
import { formatBytes, formatCount, formatCounted } from "./numbers.js";
import { plotSupermerges } from "./plot.js";

export const PATTERNS = ["gpt4o", "gpt4o-scripts", "gpt4", "gpt2", "punct", "boundless"];
const KINDS = {
  BPE: { supermerges: false, deletion: null },
  // Superwords are what is to be seen, so their number has no limit.
  BoundlessBPE: { supermerges: true, deletion: "bytes", max_superwords: null },
};

export class TrainingPanel {
  /** Trained models are opened in the page; `onChange` is called after that. */
  constructor(page, onChange) {
    this.page = page;
    this.corpus = new LongText("corpus", () => this.showSize());
    this.slider = find("size");
    this.pattern = find("pattern");
    this.pattern.append(...PATTERNS.map((name) => create("option", {}, name)));
    this.slider.addEventListener("input", () => this.showVocabSize());
    find("use-text").addEventListener("click", () => this.setCorpus(page.text));
    find("stop").addEventListener("click", () => this.engine?.end());
    find("train-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.train(this.corpus.value, this.listConfigs()).then(onChange);
    });
    this.showVocabSize();
    this.showSize();
  }

  /** The size of the vocabulary: four steps of the slider double it. */
  get vocabSize() {
    return Math.round(2 ** (8 + this.slider.value / 4) / 32) * 32;
  }

  setCorpus(text) {
    this.corpus.set(text);
    this.showSize();
  }

  listConfigs() {
    const common = { vocab_size: this.vocabSize, pattern: this.pattern.value };
    return Object.values(KINDS).map((kind) => ({ ...common, ...kind }));
  }

  /** Train models on a text, and open them, or do with them what the caller wants. */
  async train(corpus, configs, onTrained = (models) => this.page.openTrained(models)) {
    if (this.engine) return;
    this.engine = new EngineClient();
    this.setBusy(true);
    const trained = [];
    const start = performance.now();
    try {
      for (const [at, config] of configs.entries()) {
        const name = config.supermerges ? "BoundlessBPE" : "BPE";
        this.say(`Training ${name} …`);
        const report = (progress) => this.showProgress((at + measureProgress(progress)) / configs.length);
        const found = await this.engine.train(corpus, config, report);
        trained.push({ ...found, name: `${name}, trained here`, source: { training: config, corpus } });
      }
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      await onTrained(trained);
      this.showTrained(trained, seconds);
    } catch (error) {
      this.say(error.message === "stopped" ? "Stopped." : `${error.message}.`);
    } finally {
      this.engine.end();
      this.engine = null;
      this.setBusy(false);
    }
  }

  showTrained(trained, seconds) {
    const warnings = new Set(trained.flatMap((each) => each.warnings ?? []));
    this.say([`Trained in ${seconds} s; the columns above show both.`, ...warnings].join(" "));
    const panel = find("trained");
    panel.replaceChildren();
    const { inspection } = trained.at(-1);
    const plot = plotSupermerges(inspection.stretches);
    if (!plot) return;
    const count = formatCounted(inspection.vocabulary.superwords, "superword");
    const title = create("p", { class: "hint" }, `${count}, the most frequent first`);
    panel.append(plot, create("div", {}, title, createSuperwords(inspection.top_superwords)));
  }

  setBusy(isBusy) {
    find("train-button").disabled = isBusy;
    find("stop").hidden = !isBusy;
    find("train-progress").hidden = !isBusy;
    this.showProgress(0);
  }

  showProgress(share) {
    find("train-progress").value = share;
  }

  showVocabSize() {
    find("size-label").textContent = formatCount(this.vocabSize);
    this.slider.setAttribute("aria-valuetext", `${this.vocabSize} tokens`);
  }

  showSize() {
    const { length } = this.corpus.value;
    find("corpus-size").textContent = length ? formatBytes(length) : "";
  }

  say(sentence) {
    find("train-status").textContent = sentence;
  }
}

/** Return how far the training of one model is: learning takes most of the time. */
function measureProgress({ done, total, stage }) {
  return total && ["merges", "supermerges"].includes(stage) ? done / total : 0;
}
