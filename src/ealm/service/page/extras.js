// @ts-check
// What stands around a summary: options, other ways to the same length, and how the agent decided.
import { element, isProse, node } from "./dom.js";
import { ask, get } from "./service.js";

/** @typedef {import("./service.js").Word} Word */

/** A control for each option of the service's table that a page can have. */
export class Options {
  /** Switches and lists of choices by the name of their option. @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #controls = new Map();

  /** @param {() => void} onChange */
  async load(onChange) {
    /** @type {import("./service.js").OptionRow[]} */
    const rows = await get("/v1/options");
    for (const row of rows) {
      if (!["content", "model"].includes(row.group)) continue;
      const control = row.kind === "flag" ? tick() : row.kind === "choice" ? choice(row.choices) : null;
      if (!control) continue;
      control.id = `option-${row.name}`;
      control.addEventListener("change", onChange);
      const label = /** @type {HTMLLabelElement} */ (node("label", "", row.name));
      label.htmlFor = control.id;
      element("option-list", HTMLDivElement).append(
        node("div", "option", control, node("div", "", label, node("p", "faint", row.help))));
      this.#controls.set(row.name, control);
    }
  }

  /** What the controls say; what is left as it is, is left out. */
  get values() {
    /** @type {Record<string, string | boolean>} */
    const found = {};
    for (const [name, control] of this.#controls) {
      if (control instanceof HTMLInputElement && control.checked !== control.defaultChecked) found[name] = control.checked;
      if (control instanceof HTMLSelectElement && control.value) found[name] = control.value;
    }
    return found;
  }

  /** @param {URLSearchParams} link */
  read(link) {
    for (const [name, control] of this.#controls) {
      const value = link.get(name);
      if (value === null) continue;
      if (control instanceof HTMLInputElement) control.checked = value === "true";
      else control.value = value;
    }
  }
}

function tick() {
  const input = document.createElement("input");
  input.type = "checkbox";
  return input;
}

/** @param {string[]} choices @returns {HTMLSelectElement | null} */
function choice(choices) {
  if (choices.length < 2) return null; // nothing to choose with this model
  const select = document.createElement("select");
  for (const name of ["", ...choices]) select.add(new Option(name || "default", name));
  return select;
}

/** The same length in other ways; asked for when somebody looks. */
export class Comparison {
  /** @type {Map<string, HTMLElement>} */
  #cards = new Map();
  #seen = false;
  #wanted = "";
  /** @type {number | undefined} */
  #later = undefined;
  #stop = new AbortController();
  #own = node("p", "text");

  async load() {
    element("compare", HTMLDivElement).append(node("div", "own", node("h3", "", "ealm"), this.#own));
    for (const system of /** @type {string[]} */ (await get("/v1/systems"))) {
      const text = node("p", "text");
      this.#cards.set(system, text);
      element("compare", HTMLDivElement).append(node("div", "", node("h3", "", system), text));
    }
    new IntersectionObserver((entries) => {
      this.#seen = entries.some((entry) => entry.isIntersecting);
      this.#ask(0);
    }, { rootMargin: "100px" }).observe(element("compare-section", HTMLElement));
  }

  /** @param {string} text @param {string} summary @param {number} words */
  show(text, summary, words) {
    this.#own.textContent = summary;
    for (const card of [this.#own, ...this.#cards.values()]) card.classList.toggle("long", isProse(summary));
    const wanted = JSON.stringify({ text, words: Math.max(words, 1) });
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#stop.abort();
    for (const card of this.#cards.values()) card.classList.add("old");
    this.#ask(400);
  }

  /** @param {number} wait */
  #ask(wait) {
    window.clearTimeout(this.#later);
    if (!this.#seen || !this.#wanted) return;
    this.#later = window.setTimeout(() => {
      this.#stop.abort(); // nothing that was asked for before may come after this
      this.#stop = new AbortController();
      for (const [system, card] of this.#cards) this.#fill(system, card, this.#stop.signal);
    }, wait);
  }

  /** @param {string} system @param {HTMLElement} card @param {AbortSignal} signal */
  async #fill(system, card, signal) {
    if (!card.classList.contains("old")) return;
    try {
      const { summary } = await ask("/v1/compare", { ...JSON.parse(this.#wanted), system }, signal);
      if (signal.aborted) return;
      card.textContent = summary;
    } catch (error) {
      if (signal.aborted) return;
      card.textContent = error instanceof Error ? error.message : "";
    }
    card.classList.remove("old");
  }
}

const ACTIONS = ["Remove", "Keep", "Replace"]; // an agent that never replaces has no value for the last

/** The decisions as a table, in their order. @param {Word[]} words */
export function showDecisions(words) {
  const decided = words.filter((word) => word.order !== null && word.q_values)
    .sort((one, other) => one.sentence - other.sentence || (one.order ?? 0) - (other.order ?? 0));
  const target = element("decisions", HTMLDivElement);
  if (!decided.length) {
    target.replaceChildren(node("p", "faint", "Nothing to show for this text: its lengths are worked out one at a time."));
    return;
  }
  const names = ACTIONS.slice(0, Math.max(...decided.map((word) => word.q_values?.length ?? 0)));
  const head = node("tr", "", ...["", "word", "action", ...names.map((name) => `Q of ${name}`)].map((name) => node("th", "", name)));
  const rows = decided.map((word) => node("tr", "",
    ...[String(word.order), word.text, word.action ?? "", ...(word.q_values ?? []).map((value) => value.toFixed(2))]
      .map((text) => node("td", "", text))));
  target.replaceChildren(node("table", "", node("thead", "", head), node("tbody", "", ...rows)));
}
