// Creating elements. Text is only ever set as text, so that no token can become markup.

/** Create an element with attributes and children; a child that is a string becomes text. */
export function create(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Create an SVG element. */
export function createSvg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/** Create a button that shows a text and does something; attributes may name it otherwise. */
export function createButton(text, onClick, attributes = {}) {
  const button = create("button", { type: "button", ...attributes }, text);
  button.addEventListener("click", onClick);
  return button;
}

/** Create the button that closes something. */
export function createClose(name, onClick) {
  return createButton("✕", onClick, { class: "quiet", "aria-label": name });
}

/** Return the element with an id. */
export function find(id) {
  return document.getElementById(id);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children);
  return element;
}
