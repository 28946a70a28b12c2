// Sentences about what went wrong, above the columns.

import { create, find } from "./dom.js";

/** Show a sentence until it is closed. */
export function showMessage(sentence) {
  const close = create("button", { type: "button", class: "quiet", "aria-label": "Close this message" }, "✕");
  const message = create("p", { class: "message" }, create("span", {}, sentence), close);
  close.addEventListener("click", () => message.remove());
  find("messages").append(message);
}

/** Remove all sentences. */
export function clearMessages() {
  find("messages").replaceChildren();
}
