/** The messages of Up-Down, as sentences. */

/** @import {Card, GameMessage, PlayerResult} from "../../../types/up-down" */
/** @import {Scene} from "../../table/scene.js" */
/** @import {Tagged} from "../../lib/fold.js" */
import { cardName } from "../../card/card.js";
import { capital, count } from "../../lib/words.js";

/** @param {Tagged} told @param {Scene} scene @returns {string | null} */
export function words(told, scene) {
  const message = /** @type {GameMessage} */ (told);
  const does = (/** @type {string} */ player, /** @type {string} */ verb) => (player === scene.seat ? `You ${verb}` : `${capital(scene.name(player))} ${verb}s`);
  switch (message.type) {
    case "GameStarted":
      return `The match begins: ${count(message.roundSequence.length, "round")}, of up to ${count(Math.max(...message.roundSequence), "card")}.`;
    case "RoundDealt":
      return `Round ${message.roundNumber}: ${count(message.cardsPerPlayer, "card")} each. The mesa is the ${nameOf(message.mesa)}. ${does(message.bettingOrder[0], "bet")} first.`;
    case "BetPlaced":
      return `${does(message.playerId, "bet")} ${message.bet}.`;
    case "CardPlayed":
      return `${does(message.playerId, "play")} the ${nameOf(message.card)}.`;
    case "HandCompleted":
      return `${does(message.result.winnerId, "win")} hand ${message.result.handNumber}.`;
    case "RoundCompleted":
      return `Round ${message.roundNumber} is over: ${message.results.map((result) => pointWords(result, scene)).join("; ")}.`;
    case "GameCompleted":
      return "";
  }
  return null;
}

/** @param {Card} card */
function nameOf({ rank, suit }) {
  return cardName("french", `${rank}:${suit}`);
}

/** @param {PlayerResult} result @param {Scene} scene */
function pointWords({ playerId, bet, handsWon, points }, scene) {
  return `${scene.name(playerId)} won ${handsWon} of ${bet}, ${count(points, "point")}`;
}
