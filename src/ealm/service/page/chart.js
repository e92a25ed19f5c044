// @ts-check
// Every length of a text in one picture that can be clicked.
import { counted, svg } from "./dom.js";

/** @typedef {import("./service.js").Point} Point */
/** @typedef {{picture: SVGElement, limitAt: (x: number, y: number) => number}} Chart */

const LABEL_STEP = 13;
const LABEL_LETTERS = 13;
const LETTER = 7;
const NARROW = 500;

/**
 * A bar for each word: the higher it stands, the shorter the summaries that still have it. The line is the length that
 * is shown: words whose bars reach it are in the summary.
 * @param {{words: {text: string, sentence: number}[], points: Point[], total: number, limit: number, width: number, height: number}} values
 * @returns {Chart}
 */
export function wordChart({ words, points, total, limit, width, height }) {
  const places = words.flatMap((word, place) => (/[\p{L}\p{N}]/u.test(word.text) ? [place] : []));
  const isNarrow = width < NARROW;
  const left = isNarrow ? 34 : 78, right = 8, top = 18;
  const name = (/** @type {number} */ size) => (isNarrow ? String(size) : counted(size, "word"));
  const step = (width - left - right) / Math.max(places.length, 1);
  const labelled = step >= LABEL_STEP;
  const longest = Math.max(...places.map((place) => Math.min(words[place].text.length, LABEL_LETTERS)), 0);
  const bottom = height - (labelled ? 16 + LETTER * longest : 14);
  const y = (/** @type {number} */ size) => top + ((bottom - top) * (size - 1)) / Math.max(total, 1);
  const shown = points.find((point) => point.words <= limit) ?? points[points.length - 1];
  const picture = frame(width, height, `Which words stay at which length; ${counted(limit, "word")} chosen.`);
  const gap = step > 6 ? 2 : step > 3 ? 1 : 0;
  places.forEach((place, number) => {
    const x = left + number * step;
    const isKept = !shown || shown.actions[place] === "k";
    for (const [short, long] of runs(points, place, total)) {
      picture.append(svg("rect", { class: isKept ? "bar kept" : "bar", x: (x + gap / 2).toFixed(1), y: y(short).toFixed(1),
        width: Math.max(step - gap, 0.5).toFixed(1), height: Math.max(y(long + 1) - y(short), 0).toFixed(1) }));
    }
    if (labelled) picture.append(label(words[place].text, x + step / 2, bottom + 8, isKept));
    if (number && words[places[number - 1]].sentence !== words[place].sentence) {
      picture.append(svg("line", { class: "axis", x1: x, x2: x, y1: top, y2: bottom }));
    }
  });
  const at = y(limit);
  picture.append(
    svg("text", { x: left - 8, y: top + 4, "text-anchor": "end" }, name(1)),
    svg("text", { x: left - 8, y: bottom, "text-anchor": "end" }, "all"),
    svg("line", { class: "chosen", x1: left - 4, x2: width - right, y1: at, y2: at }),
    svg("text", { class: "chosen-label", x: left - 8, y: Math.min(Math.max(at + 4, top + 18), bottom - 14), "text-anchor": "end" },
      name(limit)),
  );
  return { picture, limitAt: (_, at) => 1 + Math.floor(((at - top) / (bottom - top)) * Math.max(total, 1)) };
}

/** Limits, from and to, at which a word stays. @param {Point[]} points @param {number} place @param {number} total */
function runs(points, place, total) {
  /** @type {[number, number][]} */
  const found = [];
  points.forEach((point, number) => {
    const long = number ? points[number - 1].words - 1 : total;
    if (point.actions[place] !== "k" || long < point.words) return;
    const last = found[found.length - 1];
    if (last && last[0] === long + 1) last[0] = point.words;
    else found.push([point.words, long]);
  });
  return found;
}

/** @param {string} word @param {number} x @param {number} y @param {boolean} isKept */
function label(word, x, y, isKept) {
  const text = word.length > LABEL_LETTERS ? `${word.slice(0, LABEL_LETTERS - 1)}…` : word;
  return svg("text", { class: isKept ? "kept" : "", "text-anchor": "end",
    transform: `translate(${(x + 4).toFixed(1)} ${y}) rotate(-90)` }, text);
}

/**
 * Recoverability against length.
 * @param {{points: Point[], total: number, limit: number, balance: Point | null, width: number, height: number}} values
 * @returns {Chart}
 */
export function rateChart({ points, total, limit, balance, width, height }) {
  const left = 54, right = 16, top = 18, bottom = height - 34;
  const x = (/** @type {number} */ size) => left + ((width - left - right) * size) / Math.max(total, 1);
  const y = (/** @type {number} */ rate) => bottom - (bottom - top) * rate;
  const rated = points.filter((point) => point.reconstruction_rate !== null);
  const shown = rated.find((point) => point.words <= limit) ?? rated[rated.length - 1];
  const caption = shown ? `${counted(shown.words, "word")}: ${percent(shown)} recoverable.` : "Recoverability is being computed.";
  const picture = frame(width, height, caption);
  for (const share of [0, 0.5, 1]) {
    picture.append(svg("line", { class: "axis", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      svg("text", { x: left - 8, y: y(share) + 4, "text-anchor": "end" }, `${100 * share} %`));
  }
  const path = rated.map((point, place) => `${place ? "L" : "M"}${x(point.words).toFixed(1)} ${y(point.reconstruction_rate ?? 0).toFixed(1)}`);
  picture.append(svg("path", { class: "path", d: path.join("") }));
  for (const point of rated) {
    picture.append(svg("circle", { class: "dot", r: 3, cx: x(point.words), cy: y(point.reconstruction_rate ?? 0) }));
  }
  if (balance) {
    picture.append(svg("text", { x: x(balance.words), y: y(balance.reconstruction_rate ?? 0) - 14, "text-anchor": "middle" }, "balance"));
  }
  picture.append(svg("text", { x: left, y: height - 10 }, "0 words"),
    svg("text", { x: width - right, y: height - 10, "text-anchor": "end" }, counted(total, "word")));
  if (shown) {
    picture.append(svg("circle", { class: "dot chosen", r: 7, cx: x(shown.words), cy: y(shown.reconstruction_rate ?? 0) }));
  }
  return { picture, limitAt: (at) => Math.round(((at - left) / (width - left - right)) * total) };
}

/** @param {Point} point */
export function percent(point) {
  return `${Math.round(100 * (point.reconstruction_rate ?? 0))} %`;
}

/** @param {number} width @param {number} height @param {string} name */
function frame(width, height, name) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": name });
}
