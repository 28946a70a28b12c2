// A column: one tokenizer, its counts and its tokens.

import { copyIds, copyPython } from "./copying.js";
import { create, createButton, createClose } from "./dom.js";
import { formatCount, formatCounted, formatPercent } from "./numbers.js";
import { TokenList } from "./token_list.js";
import { createAbout } from "./about.js";

const MAX_NAME = 20;

export class Column {
  /**
   * Make the column of a model. `source` says where the model came from, for links. `actions` are
   * what the page does with it: close it, show or open a token, inspect it, read the text.
   */
  constructor({ key, name, source, summary }, actions) {
    Object.assign(this, { key, name, source, summary, actions });
    this.encoding = null;
    this.list = new TokenList(`Tokens of ${name}`, {
      onOpen: (index) => actions.openToken(this, index),
      onPoint: (pill) => actions.pointAt(this, pill),
    });
    this.element = this.create();
  }

  create() {
    this.tokenCount = create("b", { class: "figure" }, "–");
    this.versus = create("span", { class: "versus" });
    this.figures = create("span", { class: "hint" });
    this.share = create("span", { class: "share-bar", "aria-hidden": "true" }, create("span"));
    this.note = create("p", { class: "note hint", role: "status", hidden: true });
    const close = createClose(`Close ${this.name}`, () => this.actions.close(this));
    const copies = [this.createCopy("Copy ids", copyIds), this.createCopy("Copy as Python", copyPython)];
    const about = create("details", { class: "about" }, create("summary", {}, "About this tokenizer"));
    about.addEventListener("toggle", () => this.describe(about), { once: true });
    return create(
      "article",
      { class: "card column", "aria-label": this.name },
      create("div", { class: "section-head" }, create("h3", {}, this.name), close),
      create("p", { class: "hint model" }, this.describeModel()),
      create("p", { class: "count" }, this.tokenCount, " ", this.versus),
      this.share,
      this.figures,
      this.list.element,
      this.note,
      create("div", { class: "row" }, ...copies),
      about,
    );
  }

  createCopy(label, copy) {
    const button = createButton(label, async () => {
      const done = this.encoding && (await copy(this, this.actions.readText(), this.actions.readFirst()));
      button.textContent = done ? "Copied" : "Could not copy";
      setTimeout(() => (button.textContent = label), 1200);
    });
    return button;
  }

  describeModel() {
    const { kind, vocab_size: size, pattern_name: pattern } = this.summary;
    // A pattern without a name is its regex.
    const shown = pattern.length > MAX_NAME ? "its own pattern" : pattern;
    return [kind, `vocabulary of ${formatCount(size)}`, shown].join(" · ");
  }

  async describe(about) {
    try {
      about.append(createAbout(await this.actions.inspect(this)));
    } catch (error) {
      about.append(create("p", { class: "hint" }, error.message));
    }
  }

  /** Keep the encoding of the text, or show why there is none. */
  setEncoding(encoding) {
    if (encoding.error) this.showError(encoding.error);
    else this.encoding = encoding;
  }

  /** Show the counts of the whole text; `baseline` is the first column's count. */
  showCounts({ first, baseline, most, byteCount }) {
    const { ids, ends, superwordCount } = this.encoding;
    const count = ids.length;
    const parts = [];
    if (count) {
      parts.push(`${(byteCount / count).toFixed(2)} bytes per token`, formatCounted(superwordCount, "superword"));
    }
    if (first && first < count) {
      parts.push(`the first ${formatCount(first)} hold ${formatCounted(ends[first - 1], "byte")}`);
    }
    this.showHeadline(count, most, parts.join(" · "));
    const change = baseline ? count / baseline - 1 : 0;
    const direction = change < 0 ? "fewer" : "more";
    this.versus.textContent = change ? `${formatPercent(Math.abs(change))} ${direction}` : "";
    this.versus.className = `versus ${direction}`;
  }

  /** Show a number of tokens, as a share of the largest there may be, and a line about it. */
  showHeadline(count, most, line) {
    this.tokenCount.textContent = formatCounted(count, "token");
    this.share.firstChild.style.width = `${most ? (100 * count) / most : 0}%`;
    this.versus.textContent = "";
    this.figures.textContent = line;
  }

  /** Show a sentence below the tokens. */
  showNote(sentence) {
    this.note.textContent = sentence;
    this.note.hidden = !sentence;
  }

  showError(sentence) {
    this.encoding = null;
    this.list.clear();
    this.tokenCount.textContent = "–";
    this.versus.textContent = "";
    this.figures.textContent = "";
    this.showNote(sentence);
  }
}
