// @ts-check
// The page of `ealm serve`. One answer of /v1/curve holds every length, so the slider asks nobody.
// All text is written with textContent: nothing that is pasted can become markup.

/**
 * @typedef {{text: string, sentence: number, order: number | null, action: string | null,
 *   q_values: number[] | null, stop_word: boolean}} Word
 * @typedef {{summary: string, words: number, bytes: number, actions: string, replacements: Record<string, string>,
 *   compression_rate: number, reconstruction_rate: number | null, sentences: number[]}} Point
 * @typedef {{name: string, kind: string, group: string, help: string, choices: string[], unset: string | null}} OptionRow
 * @typedef {{source: string, words: Word[], sentences: number[], points: Point[], balance: Point | null}} Curve
 */

const EXAMPLES = {
  Bridge:
    "The city council voted late on Tuesday to close the old bridge across the river, which engineers say is no longer " +
    "safe for lorries, until repairs are finished next spring.",
  Results:
    "Norvik Energy Corp. said its third-quarter profit fell 12 percent to $48 million, because a mild autumn and lower " +
    "prices did not make up for new customers in the north.",
  Storm:
    "A storm cut power to some 9,000 homes along the coast overnight. Ferries will not sail before noon, the harbour " +
    "office said. Nobody was hurt, but two fishing boats are still missing.",
};
const CURVE_WORDS = 400;
const ACTIONS = /** @type {Record<string, string>} */ ({ keep: "Keep", remove: "Remove", replace: "Replace" });

/** @template {Element} T @param {string} id @param {new () => T} kind @returns {T} */
function element(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`#${id} is missing`);
  return found;
}

const box = element("text", HTMLTextAreaElement);
const slider = element("length", HTMLInputElement);
const unit = element("unit", HTMLSelectElement);
/** Switches and lists of choices by the name of their option. @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
const controls = new Map();
const state = {
  /** @type {Curve | null} */ curve: null,
  /** @type {Point | null} */ shown: null,
  /** @type {Set<string>} */ pinned: new Set(),
  /** Number of the newest request: older answers come too late. */ asked: 0,
  /** @type {number | undefined} */ playing: undefined,
  /** @type {number | undefined} */ later: undefined,
  /** Whether the text is too long for a curve and every length is asked for. */ long: false,
};

const WORKING = "Working …";

/** @param {string} text @param {boolean} [error] */
function say(text, error = false) {
  const status = element("status", HTMLParagraphElement);
  status.textContent = text;
  status.classList.toggle("error", error);
}

/** @param {string} path @param {object} body @returns {Promise<any>} */
async function ask(path, body) {
  const response = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const values = await response.json().catch(() => ({ detail: `The service answered ${response.status}.` }));
  if (!response.ok) throw new Error(values.detail || `The service answered ${response.status}.`);
  return values;
}

/** A control for each option of the service's table that a page can have. */
async function addControls() {
  /** @type {OptionRow[]} */
  const options = await (await fetch("/v1/options")).json();
  for (const option of options) {
    if (!["content", "model"].includes(option.group)) continue;
    const control = option.kind === "flag" ? tick() : option.kind === "choice" ? choice(option) : null;
    if (!control) continue;
    control.id = option.name;
    control.addEventListener("change", () => { if (box.value.trim()) shorten(); });
    const label = document.createElement("label");
    label.title = option.help;
    label.append(control, ` ${option.name}`);
    element("options", HTMLSpanElement).append(label);
    controls.set(option.name, control);
  }
}

function tick() {
  const input = document.createElement("input");
  input.type = "checkbox";
  return input;
}

/** @param {OptionRow} option @returns {HTMLSelectElement | null} */
function choice(option) {
  if (option.choices.length < 2) return null; // nothing to choose with this model
  const select = document.createElement("select");
  for (const name of ["", ...option.choices]) select.add(new Option(name || "default", name));
  return select;
}

/** What the controls say; what is left as it is, is left out. */
function chosenOptions() {
  /** @type {Record<string, string | boolean>} */
  const values = {};
  for (const [name, control] of controls) {
    if (control instanceof HTMLInputElement && control.checked) values[name] = true;
    if (control instanceof HTMLSelectElement && control.value) values[name] = control.value;
  }
  return values;
}

function requestOptions() {
  return { keep: [...state.pinned], ...chosenOptions() };
}

async function shorten() {
  const text = box.value;
  stopPlaying();
  if (!text.trim()) {
    element("result", HTMLDivElement).hidden = true;
    say("Type or paste a text first.", true);
    return;
  }
  const number = ++state.asked;
  state.long = text.split(/\s+/).length > CURVE_WORDS;
  say(WORKING);
  try {
    if (state.long) await showLong(text, number);
    else await showCurve(text, number);
  } catch (error) {
    if (number === state.asked) say(error instanceof TypeError ? "The service cannot be reached." : String(error.message), true);
  }
}

/** @param {string} text @param {number} number */
async function showCurve(text, number) {
  const request = { text, ...requestOptions() };
  const curve = await ask("/v1/curve", request);
  if (number !== state.asked) return;
  take(curve);
  const rated = await ask("/v1/curve", { ...request, recoverability: true });
  if (number !== state.asked) return;
  const place = slider.value;
  take(rated, place);
  if (element("status", HTMLParagraphElement).textContent === WORKING) say(""); // what was said meanwhile, of a copied link, stays
}

/** @param {Curve} curve @param {string} [place] */
function take(curve, place) {
  state.curve = curve;
  element("result", HTMLDivElement).hidden = false;
  slider.min = "0";
  slider.max = String(Math.max(curve.points.length - 1, 0));
  // The longest stands right, as on a ruler: the slider's value counts from the shortest.
  slider.value = place ?? String(Math.max(curve.points.length - 1 - Math.floor(curve.points.length / 2), 0));
  show();
}

/** A text that is too long for a curve: one length at a time. @param {string} text @param {number} number */
async function showLong(text, number) {
  const total = text.split(/\s+/).filter(Boolean).length;
  if (Number(slider.max) !== total) {
    slider.min = "1";
    slider.max = String(total);
    slider.value = String(Math.ceil(total / 4));
  }
  const length = unit.value === "balance" ? {} : { words: Number(slider.value) };
  const answer = await ask("/v1/summarize", { text, ...requestOptions(), ...length });
  if (number !== state.asked) return;
  state.curve = null;
  element("result", HTMLDivElement).hidden = false;
  const found = answer.summaries[0];
  element("summary", HTMLParagraphElement).textContent = found.summary;
  element("length-value", HTMLOutputElement).textContent =
    `${found.summary.split(/\s+/).filter(Boolean).length} of ${total} words`;
  showEdits(found.source, found.edits.map((/** @type {any} */ edit) => edit.word), found.edits.map(letterOf),
    (place) => found.edits[place].replacement);
  for (const id of ["bars", "curve", "reconstruction", "thought"]) document.getElementById(id)?.replaceChildren();
  const words = found.source.split(/\s+/).filter(Boolean);
  compare(words, found.summary.split(/\s+/).length, () => false);
  say("A long text: every length is worked out when you ask for it.");
}

/** @param {{action: string}} edit */
function letterOf(edit) {
  return edit.action === "keep" ? "k" : edit.action === "remove" ? "d" : "r";
}

/** @returns {Point | null} */
function chosen() {
  const curve = state.curve;
  if (!curve || !curve.points.length) return null;
  if (unit.value === "balance") return curve.balance;
  return curve.points[curve.points.length - 1 - Number(slider.value)] ?? null;
}

function show() {
  const curve = state.curve;
  const point = chosen();
  slider.disabled = unit.value === "balance";
  if (!curve || !point) {
    if (curve) element("length-value", HTMLOutputElement).textContent = "working out the balance …";
    return;
  }
  state.shown = point;
  const size = unit.value === "bytes" ? `${point.bytes} bytes` : `${point.words} words`;
  element("length-value", HTMLOutputElement).textContent = size;
  slider.setAttribute("aria-valuetext", size);
  element("summary", HTMLParagraphElement).textContent = point.summary;
  showEdits(curve.source, curve.words.map((word) => word.text), [...point.actions],
    (place) => point.replacements[String(place)]);
  showBars(curve, point);
  drawCurve(curve, point);
  compareCurve(curve, point);
  window.clearTimeout(state.later);
  state.later = window.setTimeout(() => reconstruct(point), 250);
}

/**
 * The source with every word as a button.
 * @param {string} source @param {string[]} words @param {string[]} actions
 * @param {(place: number) => string | undefined} replacement
 */
function showEdits(source, words, actions, replacement) {
  const target = element("source", HTMLParagraphElement);
  /** @type {Node[]} */
  const nodes = [];
  let end = 0;
  words.forEach((word, place) => {
    const start = source.indexOf(word, end);
    nodes.push(document.createTextNode(source.slice(end, start)));
    end = start + word.length;
    const pinned = state.pinned.has(word.toLowerCase());
    const button = document.createElement("button");
    button.type = "button";
    button.className = "word";
    button.textContent = word;
    button.dataset.place = String(place);
    button.setAttribute("aria-pressed", String(pinned));
    const action = actions[place];
    button.classList.toggle("removed", action === "d");
    button.classList.toggle("replaced", action === "r");
    button.classList.toggle("pinned", pinned);
    if (action !== "k") {
      const what = document.createElement("span");
      what.className = "hidden";
      what.textContent = action === "d" ? " (removed)" : " (replaced)";
      button.append(what);
    }
    nodes.push(button);
    const fresh = replacement(place);
    if (action === "r" && fresh) {
      const mark = document.createElement("span");
      mark.className = "new";
      mark.textContent = fresh;
      nodes.push(mark);
    }
  });
  nodes.push(document.createTextNode(source.slice(end)));
  const focused = document.activeElement instanceof HTMLElement ? document.activeElement.dataset.place : undefined;
  target.replaceChildren(...nodes);
  if (focused !== undefined) {
    const again = target.querySelector(`[data-place="${Number(focused)}"]`);
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  }
}

/** How much of each sentence is left. @param {Curve} curve @param {Point} point */
function showBars(curve, point) {
  const bars = element("bars", HTMLDivElement);
  if (curve.sentences.length < 2) {
    bars.replaceChildren();
    return;
  }
  bars.replaceChildren(
    ...curve.sentences.map((words, number) => {
      const left = point.sentences[number] ?? 0;
      const row = document.createElement("div");
      row.className = "bar";
      const name = document.createElement("span");
      name.textContent = `${number + 1}.`;
      const track = document.createElement("span");
      track.className = "track";
      track.append(svg("svg", { viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { x: "0", y: "0", height: "6", width: String(Math.min(100, (100 * left) / words)) })));
      const size = document.createElement("span");
      size.textContent = left ? `${left} of ${words}` : "dropped";
      row.append(name, track, size);
      return row;
    }),
  );
}

/** @param {string} name @param {Record<string, string>} attributes @param {...Node} children */
function svg(name, attributes, ...children) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** Compression against reconstruction, with the chosen point. @param {Curve} curve @param {Point} point */
function drawCurve(curve, point) {
  const target = element("curve", HTMLDivElement);
  const rated = curve.points.filter((each) => each.reconstruction_rate !== null);
  if (!rated.length) {
    target.textContent = "Computing recoverability …";
    return;
  }
  const x = (/** @type {number} */ rate) => 40 + 300 * rate;
  const y = (/** @type {number} */ rate) => 170 - 150 * rate;
  const path = rated.map((each, place) =>
    `${place ? "L" : "M"}${x(each.compression_rate).toFixed(1)} ${y(each.reconstruction_rate ?? 0).toFixed(1)}`).join("");
  const rate = point.reconstruction_rate;
  const caption = rate === null ? "" : `${Math.round(100 * point.compression_rate)} % of the words are removed; ` +
    `recoverability ${Math.round(100 * rate)} %.`;
  const picture = svg("svg", { viewBox: "0 0 360 210", role: "img", "aria-label": caption },
    svg("line", { class: "axis", x1: "40", y1: "170", x2: "340", y2: "170" }),
    svg("line", { class: "axis", x1: "40", y1: "20", x2: "40", y2: "170" }),
    svg("path", { class: "path", d: path }),
    label("gone", 190, 200), label("0 %", 40, 185), label("100 %", 330, 185), label("recovered", 5, 12));
  for (const each of rated) {
    picture.append(svg("circle", { class: "dot", r: "2.5", cx: String(x(each.compression_rate)), cy: String(y(each.reconstruction_rate ?? 0)) }));
  }
  if (rate !== null) {
    picture.append(svg("circle", { class: "chosen", r: "6", cx: String(x(point.compression_rate)), cy: String(y(rate)) }));
  }
  const words = document.createElement("p");
  words.textContent = caption;
  target.replaceChildren(picture, words);
}

/** @param {string} text @param {number} x @param {number} y */
function label(text, x, y) {
  const node = svg("text", { x: String(x), y: String(y), "text-anchor": x > 40 ? "middle" : "start" });
  node.textContent = text;
  return node;
}

/** What the language model makes of the summary; what it could not recover is marked. @param {Point} point */
async function reconstruct(point) {
  const target = element("reconstruction", HTMLParagraphElement);
  const curve = state.curve;
  if (!curve || state.shown !== point) return;
  try {
    const answer = await ask("/v1/summarize", {
      text: curve.source, ...requestOptions(), words: Math.max(point.words, 1), reconstruction: true,
    });
    if (state.shown !== point) return;
    const edits = answer.summaries[0].edits;
    /** @type {Node[]} */
    const nodes = [];
    for (const edit of edits) {
      if (nodes.length) nodes.push(document.createTextNode(" "));
      const node = document.createElement("span");
      node.textContent = edit.rebuilt ?? edit.word;
      if (edit.rebuilt !== null && edit.recovered === false) {
        node.className = "lost";
        node.title = `was: ${edit.word}`;
      }
      nodes.push(node);
    }
    target.replaceChildren(...nodes);
  } catch (error) {
    if (state.shown === point) target.textContent = String(error.message);
  }
}

/** @param {Curve} curve @param {Point} point */
function compareCurve(curve, point) {
  const words = curve.source.split(/\s+/).filter(Boolean);
  const stop = new Set(curve.words.filter((word) => word.stop_word)
    .map((word) => word.text.toLowerCase()));
  compare(words, point.words, (word) => stop.has(word.toLowerCase().replace(/[.,;:!?]+$/u, "")));
}

/** @param {string[]} words @param {number} count @param {(word: string) => boolean} isStopWord */
function compare(words, count, isStopWord) {
  document.getElementById("lead")?.replaceChildren(words.slice(0, count).join(" "));
  document.getElementById("stopwords")?.replaceChildren(words.filter((word) => !isStopWord(word)).slice(0, count).join(" "));
}

/** @param {EventTarget | null} target @returns {{word: Word, text: string, place: number} | null} */
function wordOf(target) {
  const button = target instanceof Element ? target.closest(".word") : null;
  if (!(button instanceof HTMLElement) || !state.curve) return null;
  const place = Number(button.dataset.place);
  const word = state.curve.words[place];
  return word ? { word, text: word.text, place } : null;
}

/** @param {Event} event */
function think(event) {
  const found = wordOf(event.target);
  const target = element("thought", HTMLParagraphElement);
  if (!found) return;
  const { word, text, place } = found;
  if (word.order === null || !word.q_values || word.action === null) {
    const gone = state.shown?.actions[place] === "d";
    target.textContent = `“${text}”: nothing was decided on it, it ${gone ? "went with the words beside it" : "is just kept"}.`;
    return;
  }
  const names = ["Remove", "Keep", "Replace"]; // an agent that never replaces has no value for it
  const values = word.q_values.map((value, number) => `${names[number]} ${value.toFixed(2)}`);
  target.textContent = `“${text}”: ${ACTIONS[word.action]}, decision ${word.order}. Q: ${values.join(", ")}.`;
}

function stopPlaying() {
  window.clearInterval(state.playing);
  state.playing = undefined;
  element("play", HTMLButtonElement).setAttribute("aria-pressed", "false");
}

/** Show the decisions one after the other, in the order in which they were taken. */
function play() {
  if (state.playing !== undefined) {
    stopPlaying();
    show();
    return;
  }
  const curve = state.curve;
  const point = state.shown;
  if (!curve || !point) return;
  const order = curve.words
    .map((word, place) => ({ place, sentence: word.sentence, order: word.order ?? Infinity }))
    .filter((each) => each.order < Infinity)
    .sort((one, other) => one.sentence - other.sentence || one.order - other.order);
  const actions = curve.words.map(() => "k");
  let next = 0;
  element("play", HTMLButtonElement).setAttribute("aria-pressed", "true");
  const words = curve.words.map((word) => word.text);
  const step = () => {
    if (next === order.length) {
      stopPlaying();
      show();
      return;
    }
    const { place } = order[next++];
    actions[place] = point.actions[place];
    showEdits(curve.source, words, actions, (at) => point.replacements[String(at)]);
    element("source", HTMLParagraphElement).querySelector(`[data-place="${place}"]`)?.classList.add("now");
  };
  step();
  state.playing = window.setInterval(step, Math.max(40, Math.min(400, 8000 / Math.max(order.length, 1))));
}

/** @param {string} text @param {string} done */
async function copy(text, done) {
  try {
    await navigator.clipboard.writeText(text);
    say(done);
  } catch {
    say("The browser does not allow copying here: select the text and copy it by hand.", true);
  }
}

function link() {
  const values = new URLSearchParams({ text: box.value, unit: unit.value, at: slider.value });
  for (const [name, value] of Object.entries(chosenOptions())) values.set(name, value === true ? "1" : String(value));
  if (state.pinned.size) values.set("keep", [...state.pinned].join("\n"));
  const place = new URL(window.location.href);
  place.hash = values.toString();
  return place.href;
}

function fromLink() {
  const values = new URLSearchParams(window.location.hash.slice(1));
  const text = values.get("text");
  if (!text) return;
  box.value = text;
  const wanted = values.get("unit") ?? "words";
  if (["words", "bytes", "balance"].includes(wanted)) unit.value = wanted;
  for (const [name, control] of controls) {
    if (control instanceof HTMLInputElement) control.checked = values.get(name) === "1";
    else control.value = values.get(name) ?? "";
  }
  state.pinned = new Set((values.get("keep") ?? "").split("\n").filter(Boolean));
  const at = values.get("at");
  shorten().then(() => {
    if (at !== null && state.curve && Number(at) <= Number(slider.max)) {
      slider.value = at;
      show();
    }
  });
}

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

element("go", HTMLButtonElement).addEventListener("click", () => { state.pinned.clear(); shorten(); });
box.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) shorten();
});
slider.addEventListener("input", () => {
  stopPlaying();
  if (!state.long) show();
  else {
    element("length-value", HTMLOutputElement).textContent = `${slider.value} words …`;
    window.clearTimeout(state.later);
    state.later = window.setTimeout(shorten, 400);
  }
});
unit.addEventListener("change", () => { stopPlaying(); if (state.long) shorten(); else show(); });
element("play", HTMLButtonElement).addEventListener("click", play);
element("theme", HTMLButtonElement).addEventListener("click", switchTheme);
element("copy", HTMLButtonElement).addEventListener("click", () =>
  copy(element("summary", HTMLParagraphElement).textContent ?? "", "Copied."));
element("share", HTMLButtonElement).addEventListener("click", () => copy(link(), "The link is copied."));
const sourceParagraph = element("source", HTMLParagraphElement);
sourceParagraph.addEventListener("mouseover", think);
sourceParagraph.addEventListener("focusin", think);
sourceParagraph.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest(".word") : null;
  const text = button instanceof HTMLElement ? button.firstChild?.textContent : null;
  if (!text) return;
  const word = text.toLowerCase();
  if (!state.pinned.delete(word)) state.pinned.add(word);
  shorten();
});
for (const [name, text] of Object.entries(EXAMPLES)) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.addEventListener("click", () => { box.value = text; state.pinned.clear(); shorten(); });
  element("examples", HTMLSpanElement).append(button);
}
addControls().catch(() => say("The options could not be loaded; those of the model apply.", true)).then(fromLink);
