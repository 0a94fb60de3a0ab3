/** Even/Odd for newcomers: hints for the first match, pictures for the rules, keys. */

/** @import {GameView} from "../../../types/even-odd" */
/** @import {Hint, Scene} from "../../table/scene.js" */
import { figure } from "../../card/figure.js";

/** @param {Scene<GameView>} scene @returns {readonly Hint[]} */
export function hints({ view, actions }) {
  if (!actions.length) return [];
  return [
    { name: "say", text: "Say in secret what the next number will be. Then it is drawn, from 1 to 10. A player who is right alone gets 3 points." },
    ...(view.results.length ? [{ name: "both", text: "If both are right, or both are wrong, both get 1 point. So it is about what the other will say." }] : []),
  ];
}

export function pictures() {
  return [figure("plain", ["2", "4", "6", "8", "10"], "Even"), figure("plain", ["1", "3", "5", "7", "9"], "Odd")];
}

export const keys = /** @type {const} */ ([["1", "even"], ["2", "odd"]]);
