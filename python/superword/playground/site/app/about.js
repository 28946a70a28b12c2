// What a model is: its rules by kind, its most frequent superwords, and where it learned them.

import { hueOf } from "./colors.js";
import { create } from "./dom.js";
import { formatCount } from "./numbers.js";
import { appendVisible } from "./pill.js";
import { plotSupermerges } from "./plot.js";

const RULES = { merge: "merges", supermerge: "supermerges", delete: "deletions" };

/** Create the description of an inspected model. */
export function createAbout(inspection) {
  const body = create("div", { class: "about-body" });
  const facts = create("dl", { class: "facts" });
  for (const [kind, name] of Object.entries(RULES)) {
    facts.append(create("dt", {}, name), create("dd", {}, formatCount(inspection.rules[kind])));
  }
  body.append(facts);
  const plot = plotSupermerges(inspection.stretches);
  if (plot) body.append(plot);
  const top = inspection.top_superwords.slice(0, 12);
  if (top.length) {
    body.append(create("p", { class: "hint" }, "Its most frequent superwords"), createSuperwords(top));
  }
  return body;
}

/** Create a list of superwords. */
export function createSuperwords(superwords) {
  const list = create("ul", { class: "superwords" });
  for (const { token, count } of superwords) {
    const pill = create("span", { class: "token superword" });
    pill.style.setProperty("--hue", hueOf(token));
    appendVisible(pill, token);
    list.append(create("li", {}, pill, create("span", { class: "hint" }, ` ×${formatCount(count)}`)));
  }
  return list;
}
