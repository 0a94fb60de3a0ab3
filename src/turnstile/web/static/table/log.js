/** What happened, in sentences, and the table in words. */

/** @import {Told, Tagged} from "../lib/fold.js" */
/** @import {Scene, Layout} from "./scene.js" */
import { h } from "../lib/dom.js";
import { resultWords } from "../lib/result.js";
import { genericWords } from "../lib/words.js";

const MOST_LINES = 300;

/** @typedef {{current: number | null, show: (seq: number) => void}} Replay the update that is shown, and how to show another one */

/** @param {readonly Told[]} told
 * @param {(message: Tagged) => string} sentence
 * @param {Replay | null} replay after the match, a line leads to its moment */
export function log(told, sentence, replay) {
  const lines = told.map(({ seq, message }, index) => ({ seq, key: `told ${seq} ${index}`, text: sentence(message) })).filter(({ text }) => text);
  const words = (/** @type {number} */ seq, /** @type {string} */ text) => (replay ? h("button", { type: "button", class: "moment", onclick: () => replay.show(seq) }, text) : text);
  return [
    h("h2", null, "What happened"),
    h("ol", { tabindex: 0, "aria-label": "What happened" }, lines.slice(-MOST_LINES).map(({ seq, key, text }) => h("li", { key, "aria-current": seq === replay?.current ? "step" : null }, words(seq, text)))),
  ];
}

/** @param {readonly string[]} sentences */
export function words(sentences) {
  return [h("summary", null, "The table in words"), h("ul", null, sentences.map((sentence) => h("li", null, sentence)))];
}

/** What a message says, as a sentence; an empty one is not told.
 * @param {Tagged} message @param {Scene} scene @param {Layout} layout */
export function sentenceOf(message, scene, layout) {
  if (message.type === "MatchStarting") return "The match is about to begin.";
  if (message.type === "MatchEnded") return resultWords(message.result, scene);
  return layout.words?.(message, scene) ?? genericWords(message, scene);
}

/** What the newest update of a scene has told, in sentences.
 * @param {Scene} scene @param {Layout} layout */
export function newsOf(scene, layout) {
  return scene.messages.map((message) => sentenceOf(message, scene, layout)).filter(Boolean).join(" ");
}
