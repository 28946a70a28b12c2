// Tabs that choose the view, with the keys that tabs have.

import { find } from "./dom.js";

/** Let tabs call `onChoose` with the name of a view; return the function that chooses one. */
export function startTabs(names, onChoose) {
  const tabs = names.map((name) => find(`tab-${name}`));
  const choose = (at) => {
    tabs.forEach((tab, index) => {
      tab.setAttribute("aria-selected", index === at);
      tab.tabIndex = index === at ? 0 : -1;
    });
    onChoose(names[at]);
  };
  const moves = { ArrowRight: 1, ArrowLeft: -1 };
  tabs.forEach((tab, at) => {
    tab.addEventListener("click", () => choose(at));
    tab.addEventListener("keydown", ({ key }) => {
      if (!(key in moves)) return;
      const next = (at + moves[key] + tabs.length) % tabs.length;
      tabs[next].focus();
      choose(next);
    });
  });
  return (name) => choose(names.indexOf(name));
}
