// @ts-check
// The page of `ealm serve`. The length that is shown is asked for by itself and is there at once; the curve of all
// lengths streams in behind it, and from then on the slider asks nobody.
import { rateChart, percent, wordChart } from "./chart.js";
import { counted, element, isProse, node } from "./dom.js";
import { Comparison, Options, showDecisions } from "./extras.js";
import { ServiceError, ask, lines, pointOf, wordCount } from "./service.js";
import { SourceView } from "./source.js";

/** @typedef {import("./service.js").Point} Point */
/** @typedef {import("./service.js").Word} Word */

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
const TYPING_PAUSE = 250;
const SLIDER_PAUSE = 120;
const PLAY_SECONDS = 7;
const HELP = {
  words: "The higher a word stands, the shorter the summaries that still have it. Words that reach the line are in this one. Click anywhere to choose a length.",
  rates: "How much of what is gone a language model can guess from what is left. It does not always fall evenly: a word that goes can take a hard guess with it. Click to choose a length.",
};

const box = element("text", HTMLTextAreaElement);
const slider = element("length", HTMLInputElement);
const playButton = element("play", HTMLButtonElement);
const chartBox = element("curve", HTMLDivElement);
const source = new SourceView(element("source", HTMLParagraphElement), pin);
const options = new Options();
const comparison = new Comparison();

/** A text, as far as it is worked out. */
class Work {
  /** @param {string} text @param {object} request */
  constructor(text, request) {
    this.text = text;
    this.request = { text, ...request };
    this.total = wordCount(text);
    this.isLong = this.total > CURVE_WORDS;
    this.stop = new AbortController();
    /** @type {Word[]} */ this.words = [];
    /** The curve, the longest first. @type {Point[]} */ this.points = [];
    /** The same with recoverability. @type {Point[]} */ this.rated = [];
    /** @type {Point | null} */ this.balance = null;
    this.isDone = false;
    /** Whether there is no whole curve, and every length is asked for. */ this.isSingle = this.isLong;
    this.isRating = false;
    /** Lengths that were asked for by themselves. @type {Map<number, Point>} */ this.single = new Map();
  }

  /** @param {number} limit @returns {Point | null} */
  at(limit) {
    const found = this.points.find((point) => point.words <= limit) ?? this.single.get(limit);
    return found ?? (this.isDone ? this.points[this.points.length - 1] ?? null : null);
  }
}

const state = {
  work: new Work("", {}),
  /** @type {Point | null} */ shown: null,
  /** @type {Set<string>} */ pinned: new Set(),
  view: /** @type {"words" | "rates"} */ ("words"),
  /** Of the text when it last changed. */ letters: 0,
  /** @type {number | undefined} */ playing: undefined,
  /** @type {number | undefined} */ typing: undefined,
  /** @type {number | undefined} */ sliding: undefined,
  /** @type {number | undefined} */ frame: undefined,
};

/** @param {string} text @param {boolean} [isError] */
function say(text, isError = false) {
  const status = element("status", HTMLSpanElement);
  status.textContent = text;
  status.classList.toggle("error", isError);
}

/** @param {unknown} error */
function complain(error) {
  say(error instanceof ServiceError ? error.message : "The service cannot be reached.", true);
}

function limit() {
  return Number(slider.value);
}

/** Work on the text of the box; the length stays unless the text is another. @param {number} [wanted] */
async function shorten(wanted) {
  stopPlaying();
  state.work.stop.abort();
  const text = box.value;
  state.letters = text.length;
  const isNew = text !== state.work.text;
  const fixed = isNew ? 0 : state.work.words.filter((word) => state.pinned.has(word.text.toLowerCase())).length;
  const work = (state.work = new Work(text, { keep: [...state.pinned], ...options.values }));
  slider.disabled = work.total < 2;
  slider.max = String(Math.max(work.total, 1));
  slider.min = String(Math.min(Math.max(fixed, 1), work.total)); // pinned words need their room
  if (wanted || isNew) slider.value = String(wanted ?? Math.max(1, Math.round(work.total / (work.isLong ? 4 : 3))));
  playButton.disabled = true;
  state.shown = null;
  element("result", HTMLDivElement).hidden = !work.total;
  if (!work.total) {
    for (const id of ["summary", "facts"]) element(id, HTMLParagraphElement).replaceChildren();
    showLimit();
    return;
  }
  say("");
  busy(true);
  await askOne(work);
  if (!work.isLong) await askCurve(work);
  if (work === state.work) busy(false);
}

/** @param {boolean} isBusy */
function busy(isBusy) {
  element("result", HTMLDivElement).setAttribute("aria-busy", String(isBusy));
}

/** The length that the slider says, by itself. @param {Work} work */
async function askOne(work) {
  const words = limit();
  showLimit();
  document.body.classList.add("waiting");
  try {
    const found = (await ask("/v1/summarize", { ...work.request, words }, work.stop.signal)).summaries[0];
    if (work !== state.work) return;
    if (!work.words.length) {
      work.words = found.edits.map((/** @type {any} */ edit) => ({ text: edit.word, sentence: 0, order: null, action: null, q_values: null }));
    }
    source.render(found.source, work.words.map((word) => word.text));
    work.single.set(words, pointOf(found));
    if (words === limit()) show();
  } catch (error) {
    if (work === state.work && !work.stop.signal.aborted) complain(error);
  } finally {
    if (work === state.work) document.body.classList.remove("waiting");
  }
}

/** Every length, as it comes. @param {Work} work @param {boolean} [recoverability] */
async function askCurve(work, recoverability = false) {
  const points = recoverability ? work.rated : work.points;
  let isWhole = false;
  try {
    for await (const line of lines("/v1/curve", { ...work.request, recoverability }, work.stop.signal)) {
      if (work !== state.work) return;
      if (line.words && !recoverability) {
        work.words = line.words;
        source.render(line.source, line.words.map((/** @type {Word} */ word) => word.text));
      }
      if (line.point) points.push(line.point);
      isWhole = "balance" in line; // the last line
      if (recoverability && isWhole) work.balance = line.balance;
      showSoon();
    }
  } catch (error) {
    if (work !== state.work || work.stop.signal.aborted) return;
    if (!points.length) complain(error);
  }
  if (!isWhole && points.length) say("The curve broke off; each length is worked out when you ask for it.", true);
  if (recoverability) return;
  work.isDone = isWhole;
  work.isSingle = !isWhole;
  show();
}

/** Draw once for all that came since the last frame. */
function showSoon() {
  state.frame ??= window.requestAnimationFrame(() => {
    state.frame = undefined;
    show();
  });
}

function showLimit() {
  const text = `at most ${counted(limit(), "word")}`;
  element("length-value", HTMLOutputElement).textContent = state.work.total ? text : "";
  slider.setAttribute("aria-valuetext", text);
}

function show() {
  const work = state.work;
  const point = work.at(limit());
  showLimit();
  if (!point || !work.words.length) return;
  state.shown = point;
  playButton.disabled = !(work.isDone || work.isSingle);
  const summary = element("summary", HTMLParagraphElement);
  summary.textContent = point.summary;
  summary.classList.toggle("long", isProse(point.summary));
  element("facts", HTMLParagraphElement).textContent =
    `${point.words} of ${counted(work.total, "word")} · ${counted([...point.summary].length, "character")}` +
    (point.reason ? ` · ${point.reason.replace("grammar=", "ealm serve --grammar")}` : "");
  source.show(point.actions, point.replacements, state.pinned);
  comparison.show(work.text, point.summary, point.words);
  drawChart();
  if (element("decided", HTMLDetailsElement).open) showDecisions(work.words);
}

function drawChart() {
  const work = state.work;
  element("curve-section", HTMLElement).hidden = work.isLong;
  if (work.isLong) return;
  const width = Math.max(chartBox.clientWidth, 200);
  const values = { total: work.total, limit: limit(), width, height: Math.max(260, Math.min(380, width * 0.4)) };
  const chart = state.view === "words"
    ? wordChart({ ...values, words: work.words, points: work.points })
    : rateChart({ ...values, points: work.rated, balance: work.balance });
  chart.picture.addEventListener("pointerdown", (event) => choose(chart, /** @type {PointerEvent} */ (event)));
  chartBox.replaceChildren(chart.picture);
  chartBox.onpointermove = (event) => { if (event.buttons === 1) choose(chart, event); };
  const rate = work.rated.find((each) => each.words <= limit());
  element("curve-help", HTMLParagraphElement).textContent =
    (state.view === "rates" && rate ? `${percent(rate)} at ${counted(rate.words, "word")}. ` : "") + HELP[state.view];
}

/** @param {import("./chart.js").Chart} chart @param {PointerEvent} event */
function choose(chart, event) {
  const corner = chartBox.getBoundingClientRect();
  setLimit(chart.limitAt(event.clientX - corner.left, event.clientY - corner.top));
}

/** @param {number} wanted */
function setLimit(wanted) {
  stopPlaying();
  slider.value = String(wanted); // the slider keeps it within its bounds
  slid();
}

function slid() {
  if (state.typing !== undefined) { // the length is meant for the text that is in the box by now
    typed(limit());
    return;
  }
  const work = state.work;
  show();
  window.clearTimeout(state.sliding);
  state.sliding = window.setTimeout(() => {
    if (work !== state.work) return;
    if (!work.at(limit())) askOne(work);
    if (state.view === "rates") rebuild();
  }, SLIDER_PAUSE);
}

/** @param {"words" | "rates"} view */
function setView(view) {
  state.view = view;
  element("view-words", HTMLButtonElement).setAttribute("aria-pressed", String(view === "words"));
  element("view-rates", HTMLButtonElement).setAttribute("aria-pressed", String(view === "rates"));
  element("rebuilt", HTMLDivElement).hidden = view !== "rates";
  if (view === "rates") rate();
  drawChart();
}

/** Recoverability is asked for only while somebody looks at it: it takes many times as long as the summaries. */
function rate() {
  const work = state.work;
  if (state.view !== "rates" || work.isRating || work.isLong || !work.total) return;
  work.isRating = true;
  rebuild();
  askCurve(work, true);
}

/** What the language model makes of the summary; what it could not recover is marked. */
async function rebuild() {
  const work = state.work;
  const point = state.shown;
  const target = element("reconstruction", HTMLParagraphElement);
  if (!point) return;
  try {
    const asked = { ...work.request, words: Math.max(point.words, 1), reconstruction: true };
    const edits = (await ask("/v1/summarize", asked, work.stop.signal)).summaries[0].edits;
    if (work !== state.work || state.shown !== point) return;
    target.replaceChildren(...edits.flatMap((/** @type {any} */ edit) => {
      const isGuess = edit.rebuilt !== null;
      const word = node("span", isGuess ? (edit.recovered === false ? "lost" : "guess") : "", edit.rebuilt ?? edit.word);
      if (isGuess) word.title = `was: ${edit.word}`;
      return [word, " "];
    }));
  } catch (error) {
    if (!work.stop.signal.aborted) complain(error);
  }
}

function stopPlaying() {
  if (state.playing === undefined) return;
  window.clearInterval(state.playing);
  state.playing = undefined;
  playButton.setAttribute("aria-pressed", "false");
  playButton.textContent = "Play";
  source.target.classList.remove("playing");
}

/** Words leave, from the whole text to the length that is shown; from there to the shortest sentence if that is all. */
function play() {
  if (state.playing !== undefined) {
    stopPlaying();
    show();
    return;
  }
  const frames = framesToPlay();
  if (!frames.length) return;
  playButton.setAttribute("aria-pressed", "true");
  playButton.textContent = "Stop";
  source.show("k".repeat(state.work.words.length), {}, state.pinned);
  source.target.classList.add("playing");
  const step = () => {
    const next = frames.shift();
    if (next) next();
    else stopPlaying();
  };
  state.playing = window.setInterval(step, Math.max(60, Math.min(700, (1000 * PLAY_SECONDS) / frames.length)));
  step();
}

/** @returns {(() => void)[]} */
function framesToPlay() {
  const { points, isSingle } = state.work;
  const shown = state.shown;
  if (!shown) return [];
  if (isSingle) return framesOf(shown);
  const end = limit();
  const chosen = points.filter((point) => (shown === points[0] ? point.complete : point.words >= shown.words));
  return chosen.map((point) => () => {
    slider.value = String(point === shown ? end : point.words);
    show();
  });
}

/** Without a curve there is one length only: its words leave in groups, from the first to the last. @param {Point} shown */
function framesOf(shown) {
  const gone = [...shown.actions].flatMap((action, place) => (action === "k" ? [] : [place]));
  const actions = "k".repeat(shown.actions.length).split("");
  const size = Math.ceil(gone.length / 24);
  return Array.from({ length: Math.ceil(gone.length / size) || 0 }, (_, number) => () => {
    for (const place of gone.slice(number * size, (number + 1) * size)) actions[place] = shown.actions[place];
    source.show(actions.join(""), shown.replacements, state.pinned);
  });
}

/** @param {number} [wanted] */
function typed(wanted) {
  window.clearTimeout(state.typing);
  state.typing = undefined;
  const text = box.value.toLowerCase();
  state.pinned = new Set([...state.pinned].filter((word) => text.includes(word)));
  shorten(wanted).then(rate);
}

/** @param {string} word */
function pin(word) {
  const key = word.toLowerCase();
  if (!state.pinned.delete(key)) state.pinned.add(key);
  shorten().then(rate);
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
  const values = new URLSearchParams({ text: box.value, words: slider.value });
  for (const [name, value] of Object.entries(options.values)) values.set(name, String(value));
  if (state.pinned.size) values.set("keep", [...state.pinned].join("\n"));
  const place = new URL(window.location.href);
  place.hash = values.toString();
  return place.href;
}

/** The text of the link that the page was opened with, or an example. */
async function start() {
  const values = new URLSearchParams(window.location.hash.slice(1));
  const text = values.get("text");
  const loading = options.load(() => shorten().then(rate));
  loading.catch(() => say("The options could not be loaded; those of the model apply.", true));
  comparison.load().catch(() => say("The comparison could not be loaded.", true));
  if (text) {
    await loading.catch(() => undefined); // complained about above
    options.read(values);
    state.pinned = new Set((values.get("keep") ?? "").split("\n").filter(Boolean));
  }
  box.value = text ?? EXAMPLES.Bridge;
  await shorten(Number(values.get("words")) || undefined);
}

function switchTheme() {
  const root = document.documentElement;
  const isDark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
}

box.addEventListener("input", () => {
  window.clearTimeout(state.typing);
  const isTyping = Math.abs(box.value.length - state.letters) < 3; // more at once was pasted, and is complete
  state.letters = box.value.length;
  if (isTyping) state.typing = window.setTimeout(() => typed(), TYPING_PAUSE);
  else typed();
});
slider.addEventListener("input", () => { stopPlaying(); slid(); });
playButton.addEventListener("click", play);
element("theme", HTMLButtonElement).addEventListener("click", switchTheme);
element("copy", HTMLButtonElement).addEventListener("click", () =>
  copy(element("summary", HTMLParagraphElement).textContent ?? "", "Copied."));
element("share", HTMLButtonElement).addEventListener("click", () => copy(link(), "The link is copied."));
element("view-words", HTMLButtonElement).addEventListener("click", () => setView("words"));
element("view-rates", HTMLButtonElement).addEventListener("click", () => setView("rates"));
element("decided", HTMLDetailsElement).addEventListener("toggle", show);
for (const [name, text] of Object.entries(EXAMPLES)) {
  const button = node("button", "chip", name);
  button.setAttribute("type", "button");
  button.addEventListener("click", () => {
    box.value = text;
    state.pinned.clear();
    shorten().then(rate);
  });
  element("examples", HTMLSpanElement).append(button);
}
new ResizeObserver(showSoon).observe(chartBox);
start();
