// @ts-check
// Small tools for the page's elements. All text is written as text: nothing that is pasted can become markup.

/** @template {Element} T @param {string} id @param {new () => T} kind @returns {T} */
export function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is missing`);
  return found;
}

/** @param {string} name @param {string} [className] @param {...(Node | string)} children @returns {HTMLElement} */
export function node(name, className = "", ...children) {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...children);
  return made;
}

/** @param {string} name @param {Record<string, string | number>} attributes @param {...(Node | string)} children */
export function svg(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  made.append(...children);
  return made;
}

/** @param {number} count @param {string} name */
export function counted(count, name) {
  return `${count.toLocaleString("en")} ${name}${count === 1 ? "" : "s"}`;
}

/** Whether a summary is read as prose, and not as a headline. @param {string} text */
export function isProse(text) {
  return text.length > 220;
}
