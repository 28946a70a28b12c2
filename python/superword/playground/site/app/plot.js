// The share of supermerges along training, as a small plot.

import { create, createSvg } from "./dom.js";
import { formatCount, formatPercent } from "./numbers.js";

const WIDTH = 320;
const HEIGHT = 120;
const LEFT = 40;
const BOTTOM = 22;
const TOP = 8;

/**
 * Plot stretches of training, each with its first and last rule and its share of supermerges.
 * Return nothing if no stretch has one.
 */
export function plotSupermerges(points) {
  const highest = Math.max(0, ...points.map(({ share }) => share));
  if (!highest) return null;
  const top = niceCeiling(highest);
  const last = points.at(-1).last + 1;
  const x = (rule) => LEFT + ((WIDTH - LEFT - 8) * rule) / last;
  const y = (share) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share / top);
  const stairs = points.map(({ first, last: end, share }) => `H${x(first)} V${y(share)} H${x(end + 1)}`);
  const area = `M${x(0)},${y(0)} ${stairs.join(" ")} V${y(0)} Z`;
  const [most, atEnd] = [highest, points.at(-1).share].map(formatPercent);
  const svg = createSvg("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    class: "plot",
    role: "img",
    "aria-label": `Share of supermerges along training: up to ${most}, ${atEnd} at the end`,
  });
  for (const share of [0, top / 2, top]) {
    const percent = `${Number((100 * share).toFixed(1))}%`;
    svg.append(
      createSvg("line", { x1: LEFT, x2: WIDTH - 8, y1: y(share), y2: y(share), class: "grid" }),
      createSvg("text", { x: LEFT - 6, y: y(share) + 4, class: "tick end" }, percent),
    );
  }
  svg.append(
    createSvg("path", { d: area, class: "area" }),
    createSvg("text", { x: LEFT, y: HEIGHT - 6, class: "tick" }, "rule 0"),
    createSvg("text", { x: WIDTH - 8, y: HEIGHT - 6, class: "tick end" }, formatCount(last)),
  );
  const caption = "Share of supermerges among the rules that join tokens, in the order of training";
  return create("figure", { class: "plot-figure" }, svg, create("figcaption", { class: "hint" }, caption));
}

function niceCeiling(share) {
  return [0.02, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8].find((each) => share <= each) ?? 1;
}
