/** 66 for newcomers: hints for the first match, pictures for the rules, keys. */

/** @import {GameView} from "../../../types/66" */
/** @import {Hint, Scene} from "../../table/scene.js" */
import { figure } from "../../card/figure.js";
import { POWERS } from "./words.js";

/** @param {Scene<GameView>} scene @returns {readonly Hint[]} */
export function hints({ view, actions }) {
  if (view.phase === "ROUND_FINISHED") return [{ name: "points", text: "All cards are open, and their sum counts against you. The match ends when a total is over 66; the lowest total wins." }];
  if (!actions.length) return [];
  switch (view.phase) {
    case "READY_FOR_TURN":
      return turn(view);
    case "DECK_CARD_TAKEN":
      return [{ name: "taken", text: "Keep it in the place of a high card of yours, or discard it. A 7 to 12 that you discard at once lets you look at a card, or exchange one." }];
    case "discarded":
      return [{ name: "power", text: `The card that you discarded lets you ${POWERS[view.discardedValue ?? 0]}. Tap ${actions[0]?.type === "ExchangeCards" ? "both cards" : "the card"}, and tap again.` }];
    case "replacing_cards":
      return [{ name: "fewer", text: "Your cards were identical: one card takes the place of all of them, so you hold fewer." }];
  }
  return [];
}

/** @param {GameView} view @returns {Hint[]} */
function turn({ stopper, rounds }) {
  return [
    ...(stopper === null ? [] : [{ name: "last", text: "The round was stopped. This is your last turn before all cards are turned over." }]),
    { name: "look", text: "You have looked at two of your four cards. Low cards are good. Tap the deck for an unseen card, or the pile and the card of yours that it replaces." },
    { name: "same", text: "Two cards of yours are the same? Tap both to show them: one card takes the place of both." },
    ...(stopper === null ? [{ name: "stop", text: "If you think that no other player holds less, stop the round: that makes 0 points. If another player does hold less, you get 10 more." }] : []),
    ...(rounds.length ? [{ name: "eyes", text: "An eye on a card tells that another player has seen it." }] : []),
  ];
}

export function pictures() {
  return [
    figure("numbers", ["0", "13"], "Cards from 0 to 13. Low cards are good."),
    figure("numbers", ["7", "8"], "Taken and discarded: look at a card of yours."),
    figure("numbers", ["9", "10"], "Look at another player's card."),
    figure("numbers", ["11", "12"], "Exchange a card with another player."),
    figure("numbers", ["5", "5"], "Identical: one card takes the place of both."),
  ];
}

export const keys = /** @type {const} */ ([
  ["T", "the deck"],
  ["P", "the pile"],
  ["1 to 4", "your cards, or those of the row that has the focus"],
  ["A to D", "go to the row of another player"],
  ["S", "stop the round"],
  ["N", "deal, or go on"],
]);
