/** Choices: tap to raise, tap again to play. The player may switch the second tap off. */

/** @import {Scene} from "./scene.js" */
/** @import {Tagged} from "../lib/fold.js" */
/** @import {Children} from "../../types/dom" */
import { h } from "../lib/dom.js";
import { isOn } from "../lib/settings.js";

/** The id of the sentence that says why a move was refused. */
export const REFUSAL = "refusal";

/** A button that makes a move. What is raised is played with the next tap, or with Enter; Escape puts it back.
 * @param {Scene} scene
 * @param {Tagged} move
 * @param {{key: string, label?: string, class?: string, isDirect?: boolean, digit?: number}} options `isDirect`: one tap is enough, as for a plain button;
 *   `digit`: the key that picks it; otherwise digits count the choices
 * @param {...Children} content */
export function choice(scene, move, { key, label, class: kind = "", isDirect = false, digit }, ...content) {
  const isRaised = scene.raised === key;
  const isSent = isSameMove(scene.sent, move) && (scene.raised === null || isRaised);
  const isRefused = isSameMove(scene.refused, move) && (scene.raised === null || isRaised);
  const play = () => scene.act(move);
  return h(
    "button",
    {
      type: "button",
      key,
      class: `choice ${kind}`,
      "data-choice": true,
      "aria-keyshortcuts": digit === undefined ? null : String(digit),
      "aria-pressed": isDirect ? null : String(isRaised),
      "aria-label": label && (isRaised ? `${label}: press again to play` : label),
      "data-raised": isRaised,
      "data-sent": isSent,
      "data-refused": isRefused,
      "aria-describedby": isRefused ? REFUSAL : null,
      "aria-disabled": scene.sent ? "true" : null,
      onclick: () => !scene.sent && (isDirect || isRaised || isOn("one-tap") ? play() : scene.raise(key)),
    },
    ...content,
  );
}

/** Whether two moves are the same.
 * @param {Tagged | null | undefined} one @param {Tagged | null | undefined} other */
function isSameMove(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** A button that queues a card for the player's next turn, or takes it back. The card is dropped if it cannot be played then.
 * @param {Scene} scene
 * @param {string} name as the layout's `ahead` calls the move
 * @param {string} label
 * @param {...Children} content */
export function early(scene, name, label, ...content) {
  const isQueued = scene.queued === name;
  return h("button", { type: "button", class: "early", "data-early": true, "aria-pressed": String(isQueued), "aria-label": isQueued ? `${label}: queued` : label, "data-queued": isQueued, onclick: () => scene.queue(isQueued ? null : name) }, ...content);
}
