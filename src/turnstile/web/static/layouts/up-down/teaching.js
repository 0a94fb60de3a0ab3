/** Up-Down for newcomers: hints for the first match, pictures for the rules, keys. */

/** @import {GameView} from "../../../types/up-down" */
/** @import {Hint, Scene} from "../../table/scene.js" */
import { figure } from "../../card/figure.js";
import { isOn } from "../../lib/settings.js";

/** @param {Scene<GameView>} scene @returns {readonly Hint[]} */
export function hints({ view, seat, actions }) {
  const round = view.currentRound;
  if (!round) return [];
  if (actions[0]?.type === "PLACE_BET") {
    return [
      { name: "bet", text: "Say how many hands you will win in this round. Only the exact number counts: it makes 10 points, and 2 for each hand." },
      { name: "mesa", text: `The mesa is turned over: in this round ${round.mesa.suit} beat all other suits.` },
    ];
  }
  if (actions.length) return playing(view, seat, actions.length);
  const isWaiting = round.currentHand?.handOrder.slice(round.currentHand.currentPlayerIndex).includes(seat ?? "");
  return isWaiting && round.cardsPerPlayer > 1 ? [{ name: "queue", text: "While the others play, tap a card to queue it: it is played on your turn, if it is allowed then." }] : [];
}

/** @param {GameView} view @param {string | null} seat @param {number} offered how many cards may be played */
function playing(view, seat, offered) {
  const pinta = view.currentRound?.currentHand?.pinta;
  const held = view.players.find(({ id }) => id === seat)?.hand?.length ?? 0;
  return [
    ...(offered === 1 && isOn("forced") ? [{ name: "forced", text: "This is the only card that you may play. It plays itself after a moment." }] : []),
    ...(offered < held ? [{ name: "follow", text: `You hold ${pinta}, the suit that was led, so you must follow it. The other cards are dim.` }] : []),
    ...(pinta ? [{ name: "win", text: `The highest card of ${view.currentRound?.mesa.suit} wins the hand; without one, the highest of ${pinta}.` }] : []),
    ...(pinta ? [] : [{ name: "lead", text: "You lead. The others must follow the suit of your card, if they can." }]),
  ];
}

export function pictures() {
  return [
    figure("french", ["5:hearts"], "The mesa: in this round hearts beat all other suits."),
    figure("french", ["9:clubs", "K:clubs", "A:diamonds"], "Clubs were led. The highest club wins; the ace of another suit does not.", { winner: "K:clubs" }),
    figure("french", ["9:clubs", "K:clubs", "2:hearts"], "Any heart beats them all.", { winner: "2:hearts" }),
  ];
}

export const keys = /** @type {const} */ ([
  ["0 to 9", "your bet"],
  ["1 to 9", "your cards that may be played, from the left; the same key again plays it. Before your turn: the card to queue"],
]);
