/** Moves that need no tap when the turn comes: a card that the player has queued, and a card that is the only one that may
 * be played. Neither is played instantly: the time that a move takes must not tell the others that it was forced. */

/** @import {Tagged} from "../lib/fold.js" */
/** @import {Layout, Scene} from "./scene.js" */

const QUEUED_MS = 350;
const FORCED_MS = [1_100, 2_600];

export class Ahead {
  #act;
  #random;
  #timer = /** @type {any} */ (null);

  /** @param {(move: Tagged) => void} act @param {() => number} random */
  constructor(act, random = Math.random) {
    this.#act = act;
    this.#random = random;
  }

  /** The scene has changed: play what was queued or is forced, unless the player has begun to choose.
   * @param {Scene} scene @param {Layout} layout @param {string | null} queued @param {boolean} playsForced */
  look(scene, layout, queued, playsForced) {
    this.stop();
    if (scene.sent || scene.raised !== null) return;
    const wanted = queuedMove(scene, layout, queued);
    const forced = playsForced ? forcedMove(scene, layout) : null;
    const [least, most] = FORCED_MS;
    if (wanted) this.#timer = setTimeout(this.#act, QUEUED_MS, wanted);
    else if (forced) this.#timer = setTimeout(this.#act, least + this.#random() * (most - least), forced);
  }

  stop() {
    clearTimeout(this.#timer);
  }
}

/** The move that the player has queued, if it is on offer now.
 * @param {Scene} scene @param {Layout} layout @param {string | null} queued */
export function queuedMove(scene, layout, queued) {
  return queued === null ? null : (scene.actions.find((move) => layout.ahead?.(move, scene) === queued) ?? null);
}

/** The only move on offer, if it is one that may play itself.
 * @param {Scene} scene @param {Layout} layout */
export function forcedMove(scene, layout) {
  const [only, ...others] = scene.actions;
  return only && !others.length && (layout.ahead?.(only, scene) ?? null) !== null ? only : null;
}
