// The page: its columns, its text, and what is shown of both.

import { Column } from "./column.js";
import { CutView } from "./cut_view.js";
import { openDerivation } from "./derivation.js";
import { Details } from "./details.js";
import { create, find } from "./dom.js";
import { EngineClient } from "./engine_client.js";
import { LongText } from "./long_text.js";
import { showMessage } from "./messages.js";
import { formatBytes } from "./numbers.js";
import { RulesView } from "./rules_view.js";

const MAX_COLUMNS = 4;
// Pills are drawn for so many bytes of the text; counts are of all.
const DRAWN_BYTES = 200_000;
// How a file of superword begins.
const OWN_FORMAT = /^\s*\{\s*"format":\s*"superword"/;

export class Page {
  /** `onChange` is called when the view changes, to save the link. */
  constructor(onChange) {
    this.onChange = onChange;
    this.engine = new EngineClient();
    this.columns = [];
    this.lastKey = 0;
    this.view = "tokens";
    this.input = new LongText("text", () => this.update());
    this.textBox = this.input.box;
    this.details = new Details();
    this.rules = new RulesView(this, onChange);
    this.cut = new CutView(this, onChange);
    find("first").addEventListener("input", () => this.showColumns());
    find("outline").addEventListener("change", () => this.showOutline());
    this.showOutline();
  }

  /** The whole text. */
  get text() {
    return this.input.value;
  }

  /** The text in the box. */
  get shownText() {
    return this.textBox.value;
  }

  /** The number of tokens that count, or nothing for all. */
  get first() {
    return Math.max(0, Math.floor(Number(find("first").value))) || null;
  }

  /** Open a model in a column. */
  async openModel({ name, bytes, source }) {
    if (this.columns.length >= MAX_COLUMNS) {
      showMessage(`${name}: ${MAX_COLUMNS} tokenizers are open; close one first.`);
      return;
    }
    const key = ++this.lastKey;
    try {
      const summary = await this.engine.open(key, bytes, name);
      const isSuperword = OWN_FORMAT.test(new TextDecoder().decode(bytes.subarray(0, 100)));
      const model = { key, name, source: { ...source, isSuperword }, summary };
      const column = new Column(model, this.createActions());
      find("loading")?.remove();
      this.columns.push(column);
      find("columns").append(column.element);
      for (const warning of summary.warnings ?? []) showMessage(`${name}: ${warning}.`);
    } catch (error) {
      const sentence = error.message.startsWith(name) ? error.message : `${name}: ${error.message}`;
      showMessage(sentence.endsWith(".") ? sentence : `${sentence}.`);
    }
  }

  closeModel(column) {
    this.columns = this.columns.filter((each) => each !== column);
    column.element.remove();
    this.engine.close(column.key).catch(() => {});
    this.details.hide();
  }

  /** Open models that were trained here, in the place of samples and of those trained before. */
  async openTrained(models) {
    for (const column of [...this.columns]) {
      if (column.source.training || column.source.isSample) this.closeModel(column);
    }
    while (this.columns.length + models.length > MAX_COLUMNS) this.closeModel(this.columns.at(-1));
    for (const model of models) await this.openModel(model);
    await this.update();
  }

  createActions() {
    return {
      close: (column) => {
        this.closeModel(column);
        this.update();
      },
      openToken: (column, index) => this.openToken(column, index),
      pointAt: (column, pill) => this.pointAt(column, pill),
      inspect: (column) => this.engine.call("inspect", column.key),
      readText: () => this.text,
      readFirst: () => this.first,
    };
  }

  /** Encode the text again, and show it. */
  async update() {
    const start = performance.now();
    find("columns").setAttribute("aria-busy", "true");
    try {
      const keys = this.columns.map(({ key }) => key);
      const columns = [...this.columns];
      const found = await this.engine.callLatest("tokens", "encodeAll", keys, this.text, DRAWN_BYTES);
      if (!found || columns.some((column) => !this.columns.includes(column))) return;
      this.found = found;
      columns.forEach((column, at) => column.setEncoding(found.columns[at]));
      await this.showColumns();
      this.showStatus(performance.now() - start);
    } catch (error) {
      showMessage(`${error.message}.`);
    }
  }

  /** Show the columns as the chosen view has them. */
  async showColumns({ rule = null, cut = null } = {}) {
    if (!this.found) return;
    if (this.view === "rules") await this.rules.show(rule);
    else if (this.view === "cut") await this.cut.show(cut);
    else this.showTokens();
    find("columns").setAttribute("aria-busy", "false");
    this.onChange();
  }

  showCounts() {
    const encoded = this.columns.filter(({ encoding }) => encoding);
    const counts = encoded.map(({ encoding }) => encoding.ids.length);
    const { first, found } = this;
    const common = { first, baseline: counts[0], most: Math.max(...counts), byteCount: found.byteCount };
    for (const column of encoded) column.showCounts(common);
  }

  showTokens() {
    this.showCounts();
    const { bytes, byteCount } = this.found;
    const first = this.first ?? Infinity;
    const sizes = [bytes.length, byteCount].map(formatBytes);
    const note = `The first ${sizes[0]} are drawn; the counts are of all ${sizes[1]}.`;
    for (const column of this.columns.filter(({ encoding }) => encoding)) {
      const { ids, ends, pretokens, differs } = column.encoding;
      const classify = (index) => (differs[index] ? "differs" : "") + (index >= first ? " beyond" : "");
      column.list.show({ bytes, ids, ends, pretokens, classify });
      column.showNote(byteCount > bytes.length ? note : "");
    }
  }

  showOutline() {
    const isOn = find("outline").checked;
    find("columns").classList.toggle("outlines", isOn);
    find("legend-difference").hidden = !isOn;
    this.onChange();
  }

  showStatus(milliseconds) {
    const status = find("status");
    status.dataset.milliseconds = milliseconds;
    const size = formatBytes(this.found.byteCount);
    status.textContent = `${size} encoded and drawn in ${milliseconds.toFixed(0)} ms.`;
  }

  /** Choose what the columns show. */
  async showView(view, positions = {}) {
    this.view = view;
    this.rules.pause();
    this.details.hide();
    for (const name of ["rules", "cut"]) find(`${name}-controls`).hidden = view !== name;
    for (const id of ["legend", "first-label", "outline-label"]) find(id).hidden = view !== "tokens";
    find("columns").setAttribute("aria-labelledby", `tab-${view}`);
    for (const { list } of this.columns) list.reset();
    await this.showColumns(positions);
  }

  async pointAt(column, pill) {
    const id = pill && this.idAt(column, Number(pill.dataset.index));
    if (id === null || id === undefined) return this.details.hide();
    try {
      await this.details.show(pill, () => this.engine.call("describeToken", column.key, id));
    } catch {
      this.details.hide();
    }
  }

  async openToken(column, index) {
    const id = this.idAt(column, index);
    if (id === null) return;
    this.details.hide();
    try {
      const token = await this.engine.call("describeToken", column.key, id);
      openDerivation(token, await this.engine.call("derive", column.key, id), column.name);
    } catch (error) {
      showMessage(`${error.message}.`);
    }
  }

  /** Return the id of a token that is shown; between the rules, tokens may have none. */
  idAt(column, index) {
    return column.list.encoding.ids?.[index] ?? null;
  }

  /** Return the view for a link. */
  describe(corpus) {
    return {
      text: this.text,
      corpus: this.columns.some(({ source }) => source.training) ? corpus : "",
      models: this.columns.map(({ name, source }) => ({ name, training: source.training })),
      view: this.view,
      rule: this.view === "rules" ? this.rules.position : undefined,
      cut: this.view === "cut" ? this.cut.offset : undefined,
      first: this.first ?? undefined,
      outline: find("outline").checked,
    };
  }
}

/** Fill a list of choices, of which the first is only a title. */
export function fillChoices(select, title, names) {
  const options = names.map((name) => create("option", {}, name));
  select.replaceChildren(create("option", { value: "" }, title), ...options);
}
