// Sentences about what went wrong, above the columns.

import { create, createClose, find } from "./dom.js";

/** Show a sentence until it is closed. */
export function showMessage(sentence) {
  const message = create("p", { class: "message" }, create("span", {}, sentence));
  message.append(createClose("Close this message", () => message.remove()));
  find("messages").append(message);
}

/** Remove all sentences. */
export function clearMessages() {
  find("messages").replaceChildren();
}
