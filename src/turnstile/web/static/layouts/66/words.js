/** 66 in sentences. During a match they never say what a card that lies face down is: remembering that is the game. What
 * lies on the discard pile is open. */

/** @import {GameMessage, GameView, Move} from "../../../types/66" */
/** @import {Tagged} from "../../lib/fold.js" */
/** @import {Scene} from "../../table/scene.js" */
import { capital, count, list } from "../../lib/words.js";

export const POWERS = /** @type {{readonly [value: number]: string}} */ ({
  7: "look at a card of yours", 8: "look at a card of yours",
  9: "look at another player's card", 10: "look at another player's card",
  11: "exchange a card with another player", 12: "exchange a card with another player",
});

/** "a 7", "an 8"
 * @param {number | null} value */
export function aCard(value) {
  return value === 8 || value === 11 ? `an ${value}` : `a ${value}`;
}

/** "card 2", "cards 1 and 3"
 * @param {readonly number[]} indexes */
export function cards(indexes) {
  return `card${indexes.length > 1 ? "s" : ""} ${list(indexes.map((index) => String(index + 1)))}`;
}

/** @param {Scene<GameView>} scene @param {number} seat */
export function whoIs({ view, name }, seat) {
  return name(view.players[seat]);
}

/** "your", "Bea's"
 * @param {Scene<GameView>} scene @param {number} seat */
export function whose(scene, seat) {
  return scene.view.playerIndex === seat ? "your" : `${whoIs(scene, seat)}'s`;
}

/** @param {Tagged} tagged @param {Scene<GameView>} scene @returns {string | null} */
export function messageWords(tagged, scene) {
  const message = /** @type {GameMessage} */ (tagged);
  const who = (/** @type {number} */ seat) => capital(whoIs(scene, seat));
  const other = (/** @type {number} */ seat, /** @type {number} */ index) => `${whose(scene, seat)} card ${index + 1}`;
  switch (message.type) {
    case "GameState":
      return `A round begins: the cards are dealt, and ${aCard(message.discardedValue)} lies on the pile.`;
    case "FirstTwoCards":
      return "You looked at your cards 1 and 2.";
    case "NextTurn":
    case "YourTurn":
      return "";
    case "TookDeckCard":
      return "You took a card from the deck.";
    case "CardReplacedByDiscarded":
      return `${who(message.playerIndex)} took the discarded card as card ${message.cardIndex + 1} and discarded ${aCard(message.discardedValue)}.`;
    case "ReplacedCardByDiscarded":
      return `You took the discarded card as card ${message.cardIndex + 1} and discarded ${aCard(message.discardedValue)}.`;
    case "CardReplacedFromDeck":
      return `${who(message.playerIndex)} kept a card from the deck as card ${message.cardIndex + 1} and discarded ${aCard(message.discardedValue)}.`;
    case "ReplacedCardFromDeck":
      return `You kept it as card ${message.cardIndex + 1} and discarded ${aCard(message.discardedValue)}.`;
    case "CardDiscarded":
      return `${who(message.playerIndex)} took a card from the deck and discarded it: ${aCard(message.discardedValue)}.`;
    case "DiscardedCard":
    case "PeekingOwnCard":
    case "PeekingAnothersCard":
    case "ExchangingCards":
      return `You discarded it: ${aCard(message.discardedValue)}.`;
    case "OwnCardPeeked":
      return `${who(message.playerIndex)} looked at their own card ${message.cardIndex + 1}.`;
    case "OwnCard":
      return `You looked at your card ${message.cardIndex + 1}.`;
    case "AnothersCardPeeked":
      return `${who(message.playerIndex)} looked at ${other(message.anotherPlayerIndex, message.cardIndex)}.`;
    case "AnothersCard":
      return `You looked at ${other(message.anotherPlayerIndex, message.cardIndex)}.`;
    case "CardsExchanged":
      return `${who(message.playerIndex)} exchanged their card ${message.cardIndex + 1} for ${other(message.anotherPlayerIndex, message.anotherPlayerCardIndex)}.`;
    case "ExchangedCards":
      return `You exchanged your card ${message.cardIndex + 1} for ${other(message.anotherPlayerIndex, message.anotherPlayerCardIndex)}.`;
    case "IdenticalCardsShown":
      return `${who(message.playerIndex)} showed ${cards(message.cardIndexes)}: they are identical.`;
    case "ShowedIdenticalCards":
      return `You showed ${cards(message.cardIndexes)}: they are identical.`;
    case "DifferentCardsShown":
      return `${who(message.playerIndex)} showed ${cards(message.cardIndexes)}: they are different.`;
    case "ShowedDifferentCards":
      return `You showed ${cards(message.cardIndexes)}: they are different.`;
    case "CardsReplacedFromDeck":
      return `${who(message.playerIndex)} replaced ${cards(message.cardIndexes)} by one card from the deck; ${aCard(message.discardedValue)} lies on the pile.`;
    case "ReplacedCardsFromDeck":
      return `You replaced ${cards(message.cardIndexes)} by one card from the deck; ${aCard(message.discardedValue)} lies on the pile.`;
    case "CardsReplacedByDiscarded":
      return `${who(message.playerIndex)} replaced ${cards(message.cardIndexes)} by the discarded card; ${aCard(message.discardedValue)} lies on the pile.`;
    case "ReplacedCardsByDiscarded":
      return `You replaced ${cards(message.cardIndexes)} by the discarded card; ${aCard(message.discardedValue)} lies on the pile.`;
    case "StopInitiated":
      return `${who(message.playerIndex)} stopped the round. Every other player has one more turn.`;
    case "InitiatedStop":
      return "You stopped the round. Every other player has one more turn.";
    case "RoundFinished":
      return `The round is over after ${count(message.turnCount, "turn")}. Points: ${pointsWords(scene, message.scores)}. Totals: ${pointsWords(scene, message.totalScores)}.`;
    case "GameFinished":
      return `The match is over after ${count(message.roundCount, "round")}. Points: ${pointsWords(scene, message.scores)}. Totals: ${pointsWords(scene, message.totalScores)}.`;
  }
  return null;
}

/** "you 12, Bea 0"
 * @param {Scene<GameView>} scene @param {readonly number[]} points */
export function pointsWords(scene, points) {
  return points.map((each, seat) => `${whoIs(scene, seat)} ${each}`).join(", ");
}

/** A move, as the button that makes it is called.
 * @param {Tagged} tagged @param {Scene<GameView>} scene */
export function moveWords(tagged, scene) {
  const move = /** @type {Move} */ (tagged);
  const { view } = scene;
  switch (move.type) {
    case "StartGame":
      return "Deal the cards";
    case "StartNextRound":
      return "Deal the next round";
    case "TakeCardFromDeck":
      return "Take the card";
    case "ReplaceCardByDiscarded":
      return `Take the ${view.discardedValue} for card ${move.cardIndex + 1}`;
    case "ReplaceCardFromDeck":
      return `Keep the ${view.taken} for card ${move.cardIndex + 1}`;
    case "Discard":
      return `Discard the ${view.taken}`;
    case "ShowCards":
      return `Show ${cards(move.cardIndexes)}`;
    case "StopRound":
      return "Stop the round";
    case "PeekOwnCard":
      return `Look at card ${move.cardIndex + 1}`;
    case "PeekAnothersCard":
      return `Look at ${whose(scene, move.anotherPlayerIndex)} card ${move.cardIndex + 1}`;
    case "ExchangeCards":
      return `Give card ${move.cardIndex + 1}, get ${whose(scene, move.anotherPlayerIndex)} card ${move.anotherPlayerCardIndex + 1}`;
    case "ReplaceCardsFromDeck":
      return "Take an unseen card for them";
    case "ReplaceCardsByDiscarded":
      return `Take the ${view.discardedValue} for them`;
    case "Acks":
      return "";
  }
}
