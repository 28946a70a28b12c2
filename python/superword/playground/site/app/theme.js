// Dark or light: as the system has it, until the button is pressed.

import { find } from "./dom.js";

const KEY = "superword-theme";

/** Let the button switch the theme, and remember the choice. */
export function startTheme() {
  const root = document.documentElement;
  const saved = readSaved();
  if (saved) root.dataset.theme = saved;
  find("theme").addEventListener("click", () => {
    const isDark = (root.dataset.theme ?? systemTheme()) === "dark";
    root.dataset.theme = isDark ? "light" : "dark";
    try {
      localStorage.setItem(KEY, root.dataset.theme);
    } catch {
      // Storage is off: the choice lasts as long as the page.
    }
  });
}

function systemTheme() {
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

function readSaved() {
  try {
    const saved = localStorage.getItem(KEY);
    return ["dark", "light"].includes(saved) ? saved : null;
  } catch {
    return null;
  }
}
