/** Which card is which, so that cards slide to where they go. It follows what all players are told; it holds no faces. */

/** @import {GameView} from "../../../types/66" */
/** @import {Memory} from "../../table/scene.js" */

/** @typedef {object} Track
 * @property {GameView} view the view that it belongs to
 * @property {readonly (readonly string[])[]} hands the identity of each card of each hand
 * @property {readonly string[]} pile of the two cards on top of the pile, the top one last
 * @property {string} taken of the card that was taken from the deck
 * @property {readonly GameView["touched"][number][]} touched where the last action took place */

let count = 0;
const fresh = () => `card ${(count += 1)}`;

/** @param {{view: GameView, memory: Memory}} scene @returns {Track} */
export function track({ view, memory }) {
  const before = /** @type {Track | undefined} */ (memory.track);
  if (before?.view === view) return before;
  return (memory.track = follow(before, view));
}

/** @param {Track | undefined} before @param {GameView} view @returns {Track} */
function follow(before, view) {
  if (!before || view.phase === "ROUND_STARTING" && before.view.phase !== view.phase) return begin(view);
  const touched = view.touched.length ? view.touched : before.touched;
  const step = view.phase === before.view.phase ? before : { ...before, ...move(before, view) };
  const isTrue = step.hands.every((hand, seat) => hand.length === view.handSizes[seat]);
  return isTrue ? { ...step, view, touched } : { ...begin(view), touched };
}

/** @param {GameView} view @returns {Track} */
function begin(view) {
  return { view, hands: view.handSizes.map((size) => Array.from({ length: size }, fresh)), pile: [fresh(), fresh()], taken: fresh(), touched: [] };
}

/** What a step changes.
 * @param {Track} before @param {GameView} view @returns {Partial<Track>} */
function move({ hands, pile: [below, top], taken }, { phase, touched }) {
  const at = (/** @type {number} */ which) => hands[touched[which].playerIndex][touched[which].cardIndex];
  const put = (/** @type {[number, string][]} */ ...changes) => hands.map((hand, seat) => hand.map((id, index) => changes.find(([which]) => touched[which].playerIndex === seat && touched[which].cardIndex === index)?.[1] ?? id));
  const close = (/** @type {string} */ id) => {
    const [lowest, ...gone] = touched.map((place) => place.cardIndex).sort((one, other) => one - other);
    return hands.map((hand, seat) => (seat === touched[0].playerIndex ? hand.with(lowest, id).filter((_, index) => !gone.includes(index)) : hand));
  };
  switch (phase) {
    case "DECK_CARD_TAKEN":
      return { taken: fresh() };
    case "DISCARDING":
      return { pile: [top, taken] };
    case "REPLACING_CARD_FROM_DECK":
      return { hands: put([0, taken]), pile: [top, at(0)] };
    case "REPLACING_CARD_BY_DISCARDED":
      return { hands: put([0, top]), pile: [below, at(0)] };
    case "EXCHANGING_CARDS":
      return { hands: put([0, at(1)], [1, at(0)]) };
    case "REPLACING_MULTIPLE_CARDS_FROM_DECK":
      return { hands: close(fresh()), pile: [at(0), at(touched.length - 1)] };
    case "REPLACING_MULTIPLE_CARDS_BY_DISCARDED":
      return { hands: close(top), pile: [at(0), at(touched.length - 1)] };
  }
  return {};
}
