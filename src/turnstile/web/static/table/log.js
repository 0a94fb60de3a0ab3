/** What happened, in sentences, and the table in words. */

/** @import {Told, Tagged} from "../lib/fold.js" */
import { h } from "../lib/dom.js";

const MOST_LINES = 300;

/** @param {readonly Told[]} told @param {(message: Tagged) => string} sentence */
export function log(told, sentence) {
  const lines = told.map(({ seq, message }, index) => ({ key: `told ${seq} ${index}`, text: sentence(message) })).filter(({ text }) => text);
  return [
    h("h2", null, "What happened"),
    h("ol", { tabindex: 0, "aria-label": "What happened" }, lines.slice(-MOST_LINES).map(({ key, text }) => h("li", { key }, text))),
  ];
}

/** @param {readonly string[]} sentences */
export function words(sentences) {
  return [h("summary", null, "The table in words"), h("ul", null, sentences.map((sentence) => h("li", null, sentence)))];
}
