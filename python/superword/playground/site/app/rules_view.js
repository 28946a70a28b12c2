// The slider over the rules: the text from bytes to tokens, in every column at the same rule.

import { find } from "./dom.js";
import { formatCount } from "./numbers.js";
import { cutText } from "./text_cuts.js";

// Each step draws every token.
const MAX_BYTES = 1200;
const KINDS = ["merge", "supermerge", "delete", "removed"];
const NAMES = { merge: "merge", supermerge: "supermerge", delete: "deletion", removed: "removal" };
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
    const keys = columns.map(({ key }) => key);
    const steps = await engine.callLatest("rules", "listSteps", keys, this.text);
    if (!steps) return;
    this.columns = [...columns];
    this.steps = steps;
    const rules = steps.flatMap((each) => (each.error ? [] : Array.from(each.rules, order)));
    this.positions = [...new Set(rules)].sort((one, other) => one - other);
    const wanted = position ?? (isAtEnd ? Infinity : this.position);
    this.slider.max = this.positions.length;
    this.slider.value = Math.min(wanted, this.positions.length);
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
    this.columns.forEach((column, at) => {
      const [steps, state] = [this.steps[at], shown.columns[at]];
      if (steps.error || state.error) column.showError(steps.error ?? state.error);
      else showState(column, shown.bytes, state, describeStep(steps, wanted[at].step, limit));
    });
  }

  showLabel(limit) {
    const shown = limit < 0 ? "bytes" : limit === Infinity ? "all rules" : `rule ${formatCount(limit)}`;
    this.label.textContent = `${shown}, step ${this.position} of ${this.positions.length}`;
    this.slider.setAttribute("aria-valuetext", this.label.textContent);
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

/** Describe the last of some steps: its kind, its name, and whether the slider is at its rule. */
function describeStep({ rules, kinds }, count, limit) {
  if (!count) return { kind: null, name: "bytes", isNow: false };
  const rule = rules[count - 1];
  const kind = KINDS[kinds[count - 1]];
  const name = `after ${NAMES[kind]}${rule < 0 ? "" : ` ${formatCount(rule)}`}`;
  return { kind, name, isNow: order(rule) === limit };
}

function showState(column, bytes, { ends, pretokens, changed }, { kind, name, isNow }) {
  const classify = (index) => (isNow && changed[index] ? `step made ${kind}` : "step");
  column.list.show({ bytes, ends, pretokens, classify });
  column.showHeadline(ends.length, bytes.length, name);
  column.showNote("");
}

/** The replacement of removed tokens has no rule, and comes last. */
function order(rule) {
  return rule < 0 ? Infinity : rule;
}
