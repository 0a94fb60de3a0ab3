/** The first match explains itself: one hint at the moment at which it matters. A hint that was read, or by which the player
 * has moved, does not come again; each game remembers its own. */

/** @import {Hint, Layout, Scene} from "./scene.js" */
import { h } from "../lib/dom.js";

const ALL = "*";

/** The hints of a game that the player has seen.
 * @param {string} game
 * @returns {readonly string[]} */
export function seenHints(game) {
  return (localStorage.getItem(keyOf(game)) ?? "").split(" ").filter(Boolean);
}

/** @param {string} game @param {string} name */
export function keepSeen(game, name) {
  const seen = [...new Set([...seenHints(game), name])];
  localStorage.setItem(keyOf(game), seen.join(" "));
  return seen;
}

/** The hint that matters now, if the player has not seen it yet.
 * @param {Scene} scene @param {Layout} layout @param {readonly string[]} seen
 * @returns {Hint | null} */
export function hintFor(scene, layout, seen) {
  if (scene.seat === null || scene.view === null || scene.status.result || seen.includes(ALL)) return null;
  return layout.hints?.(scene).find(({ name }) => !seen.includes(name)) ?? null;
}

/** @param {Hint | null} hint @param {(name: string) => void} dismiss */
export function hintBox(hint, dismiss) {
  if (!hint) return null;
  return [
    h("p", null, hint.text),
    h("button", { type: "button", class: "quiet", key: "got it", onclick: () => dismiss(hint.name) }, "Got it"),
    h("button", { type: "button", class: "quiet", key: "no more", onclick: () => dismiss(ALL) }, "No more hints"),
  ];
}

/** @param {string} game */
function keyOf(game) {
  return `turnstile.hints.${game}`;
}
