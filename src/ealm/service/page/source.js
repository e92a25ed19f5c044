// @ts-check
// The text with its edits: every word is a button that pins it. The words stay the same elements while the length
// changes, so that they can fade, and while Play runs, leave.
import { node } from "./dom.js";

const LEAVE = 420;

export class SourceView {
  /** @param {HTMLElement} target @param {(word: string) => void} onPin */
  constructor(target, onPin) {
    this.target = target;
    /** @type {HTMLElement[]} */
    this.words = [];
    /** @type {(HTMLElement | null)[]} */
    this.fresh = [];
    this.key = "";
    target.addEventListener("click", (event) => {
      const place = this.#place(event.target);
      if (place >= 0) onPin(this.words[place].textContent ?? "");
    });
    target.addEventListener("keydown", (event) => this.#move(event));
  }

  /** @param {string} source @param {string[]} words */
  render(source, words) {
    const key = JSON.stringify([source, words]);
    if (key === this.key) return;
    this.key = key;
    this.fresh = words.map(() => null);
    /** @type {(Node | string)[]} */
    const nodes = [];
    let end = 0;
    this.words = words.map((word, place) => {
      const start = source.indexOf(word, end);
      nodes.push(source.slice(end, start));
      end = start + word.length;
      const button = node("button", "word", word);
      button.setAttribute("type", "button");
      button.dataset.place = String(place);
      button.tabIndex = place ? -1 : 0; // one stop for the Tab key, arrows from there
      nodes.push(button);
      return button;
    });
    this.target.replaceChildren(...nodes, source.slice(end));
  }

  /** @param {string} actions @param {Record<string, string>} replacements @param {Set<string>} pinned */
  show(actions, replacements, pinned) {
    this.words.forEach((button, place) => {
      const action = actions[place];
      const isPinned = pinned.has((button.textContent ?? "").toLowerCase());
      const leaves = action !== "k" && !button.classList.contains("gone");
      button.classList.toggle("gone", action !== "k");
      button.classList.toggle("pinned", isPinned);
      button.setAttribute("aria-pressed", String(isPinned));
      if (action === "k") button.removeAttribute("aria-description");
      else button.setAttribute("aria-description", action === "d" ? "removed" : "replaced");
      if (leaves && this.target.classList.contains("playing")) leave(button);
      this.#replace(place, action === "r" ? replacements[place] : undefined);
    });
  }

  /** @param {number} place @param {string | undefined} text */
  #replace(place, text) {
    if ((this.fresh[place]?.textContent ?? undefined) === text) return;
    this.fresh[place]?.remove();
    this.fresh[place] = text ? node("ins", "", text) : null;
    const mark = this.fresh[place];
    if (mark) this.words[place].after(mark);
  }

  /** @param {EventTarget | null} target */
  #place(target) {
    const button = target instanceof Element ? target.closest(".word") : null;
    return button instanceof HTMLElement ? Number(button.dataset.place) : -1;
  }

  /** @param {KeyboardEvent} event */
  #move(event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const place = this.#place(event.target);
    const next = step && place >= 0 ? this.words[place + step] : undefined;
    if (!next) return;
    event.preventDefault();
    this.words[place].tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }
}

/** A word lights up, then makes room for the others. @param {HTMLElement} button */
function leave(button) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const width = `${button.getBoundingClientRect().width}px`;
  const shown = { display: "inline-block", overflow: "hidden", verticalAlign: "bottom", whiteSpace: "nowrap" };
  button.animate(
    [
      { ...shown, maxWidth: width, opacity: 1, color: "var(--accent)" },
      { ...shown, maxWidth: width, opacity: 1, color: "var(--accent)", offset: 0.45 },
      { ...shown, maxWidth: "0px", opacity: 0, color: "var(--accent)" },
    ],
    { duration: LEAVE, easing: "ease-in-out" },
  );
}
