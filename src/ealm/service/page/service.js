// @ts-check
// Requests to the service, and what they give back in one form.

/**
 * @typedef {{text: string, sentence: number, order: number | null, action: string | null,
 *   q_values: number[] | null}} Word
 * @typedef {{summary: string, words: number, actions: string, replacements: Record<string, string>,
 *   compression_rate: number, reconstruction_rate: number | null, complete: boolean, reason: string | null}} Point
 * @typedef {{name: string, kind: string, group: string, help: string, choices: string[]}} OptionRow
 */

export class ServiceError extends Error {}

const TRIES = 4;
const LONGEST_WAIT = 10;

/**
 * A service that has much to do says when to come again.
 * @param {string} path @param {object} body @param {AbortSignal} [signal] @param {string} [accept] @param {number} [tries]
 * @returns {Promise<Response>}
 */
async function send(path, body, signal, accept = "application/json", tries = TRIES) {
  const headers = { "Content-Type": "application/json", Accept: accept };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body), signal });
  if (response.ok) return response;
  if (response.status === 429 && tries > 1) {
    const seconds = Math.min(Number(response.headers.get("Retry-After")) || 1, LONGEST_WAIT);
    await new Promise((resolve) => window.setTimeout(resolve, 1000 * seconds));
    if (!signal?.aborted) return send(path, body, signal, accept, tries - 1);
  }
  const values = await response.json().catch(() => ({}));
  throw new ServiceError(values.detail || `The service answered ${response.status}.`);
}

/** @param {string} path @param {object} body @param {AbortSignal} [signal] @returns {Promise<any>} */
export async function ask(path, body, signal) {
  return (await send(path, body, signal)).json();
}

/** @param {string} path @returns {Promise<any>} */
export async function get(path) {
  const response = await fetch(path);
  if (!response.ok) throw new ServiceError(`The service answered ${response.status}.`);
  return response.json();
}

/** Each line of a response as it comes. @param {string} path @param {object} body @param {AbortSignal} signal */
export async function* lines(path, body, signal) {
  const response = await send(path, body, signal, "application/x-ndjson");
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield JSON.parse(part);
  }
}

/** One summary of /v1/summarize in the form of a point of a curve. @param {any} found @returns {Point} */
export function pointOf(found) {
  /** @type {Record<string, string>} */
  const replacements = {};
  let actions = "";
  found.edits.forEach((/** @type {any} */ edit, /** @type {number} */ place) => {
    actions += edit.action === "keep" ? "k" : edit.action === "remove" ? "d" : "r";
    if (edit.replacement !== null) replacements[place] = edit.replacement;
  });
  const { summary, compression_rate, reconstruction_rate, complete, reason } = found;
  return { summary, words: wordCount(summary), actions, replacements, compression_rate, reconstruction_rate, complete, reason };
}

/** @param {string} text */
export function wordCount(text) {
  return text.split(/\s+/u).filter(Boolean).length;
}
