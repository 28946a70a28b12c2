// The slider over the rules: the text from bytes to tokens, in every column at the same rule.

import { find } from "./dom.js";
import { formatCount } from "./numbers.js";
import { cutText } from "./text_cuts.js";

// Each step draws every token.
const MAX_BYTES = 1200;
const KINDS = ["merge", "supermerge", "delete", "removed"];
const NAMES = { merge: "merge", supermerge: "supermerge", delete: "deletion", removed: "removed tokens" };
// Playing takes about this long.
const PLAY_MS = 15000;

export class RulesView {
  /** `page` has the engine, the columns and the text; `onChange` is called when the slider moves. */
  constructor(page, onChange) {
    this.page = page;
    this.slider = find("rule");
    this.label = find("rule-label");
    this.play = find("play");
    this.note = find("rules-note");
    this.positions = [];
    this.timer = null;
    this.slider.addEventListener("input", () => {
      this.pause();
      this.showPosition();
      onChange();
    });
    this.play.addEventListener("click", () => (this.timer ? this.pause() : this.start()));
    this.onChange = onChange;
  }

  get position() {
    return Number(this.slider.value);
  }

  /** Show the text of the page; start at a position, or at the end. */
  async show(position = null) {
    const { engine, columns, text } = this.page;
    this.text = cutText(text, MAX_BYTES);
    this.note.textContent = this.text === text ? "" : "Shown for the beginning of the text.";
    const isAtEnd = this.position === this.positions.length;
    const steps = await engine.callLatest("rules", "listSteps", columns.map(({ key }) => key), this.text);
    if (!steps) return;
    this.columns = [...columns];
    this.steps = steps;
    const rules = steps.flatMap((each) => (each.error ? [] : Array.from(each.rules, order)));
    this.positions = [...new Set(rules)].sort((one, other) => one - other);
    this.slider.max = this.positions.length;
    this.slider.value = position ?? (isAtEnd ? this.positions.length : Math.min(this.position, this.positions.length));
    await this.showPosition();
  }

  async showPosition() {
    const limit = this.position ? this.positions[this.position - 1] : -1;
    const wanted = this.steps.map((each, at) => ({
      key: this.columns[at].key,
      step: each.error ? 0 : each.rules.filter((rule) => order(rule) <= limit).length,
    }));
    this.showLabel(limit);
    const shown = await this.page.engine.callLatest("steps", "showSteps", wanted, this.text);
    if (!shown || this.page.view !== "rules") return;
    this.columns.forEach((column, at) => this.showColumn(column, shown.bytes, shown.columns[at], this.steps[at], wanted[at].step, limit));
  }

  showLabel(limit) {
    const shown = limit < 0 ? "bytes" : limit === Infinity ? "all rules" : `rule ${formatCount(limit)}`;
    this.label.textContent = `${shown}, step ${this.position} of ${this.positions.length}`;
    this.slider.setAttribute("aria-valuetext", this.label.textContent);
  }

  showColumn(column, bytes, state, steps, step, limit) {
    if (steps.error || state.error) return column.showError(steps.error ?? state.error);
    const kind = step ? KINDS[steps.kinds[step - 1]] : null;
    const isNow = step > 0 && order(steps.rules[step - 1]) === limit;
    const classify = (index) => `step ${isNow && state.changed[index] ? `made ${kind}` : ""}`;
    column.list.show({ bytes, ends: state.ends, pretokens: state.pretokens, classify });
    const rule = steps.rules[step - 1];
    const line = step ? `after ${NAMES[kind]}${rule < 0 ? "" : ` ${formatCount(rule)}`}` : "bytes";
    column.showHeadline(state.ends.length, bytes.length, line);
    column.showNote("");
  }

  start() {
    if (this.position === this.positions.length) this.slider.value = 0;
    const pause = Math.min(Math.max(PLAY_MS / Math.max(this.positions.length, 1), 50), 500);
    this.timer = setInterval(() => this.advance(), pause);
    this.showButton();
    this.showPosition();
  }

  advance() {
    this.slider.value = this.position + 1;
    if (this.position >= this.positions.length) this.pause();
    this.showPosition();
    this.onChange();
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.showButton();
  }

  showButton() {
    this.play.textContent = this.timer ? "❚❚" : "▶";
    this.play.setAttribute("aria-label", this.timer ? "Pause" : "Play");
  }
}

/** The replacement of removed tokens has no rule, and comes last. */
function order(rule) {
  return rule < 0 ? Infinity : rule;
}
