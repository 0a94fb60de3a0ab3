/** What a seat saw of the draws of a match, held against the draws that the seed demands. */

/** @import {Tagged} from "../lib/fold.js" */
/** @import {Deal} from "./deals.js" */
/** @typedef {{players: readonly string[], deals: readonly Deal[], told: readonly Tagged[], seat: string | null}} Match */
/** @typedef {readonly [what: string, seen: unknown, dealt: unknown]} Pair something that was seen, and what it should be */

/** How much was seen, and a sentence about the first thing that should be something else.
 * @param {string} game @param {Match} match */
export function differences(game, match) {
  const pairs = SEEN[game]?.(match) ?? [];
  const wrong = pairs.find(([, seen, dealt]) => JSON.stringify(seen) !== JSON.stringify(dealt));
  return { compared: pairs.length, wrong: wrong ? `${wrong[0]}: you saw ${words(wrong[1])}, but the seed demands ${words(wrong[2])}.` : "" };
}

/** @param {unknown} value */
function words(value) {
  return Array.isArray(value) ? value.join(", ") : String(value ?? "nothing");
}

/** @param {Match} match @returns {Pair[]} */
function eCard({ deals, told }) {
  return told.filter(({ type }) => type === "MatchStarted").map(({ roles }) => ["The first emperor", roles.emperorPlayer, deals[0].emperor]);
}

/** @param {Match} match @returns {Pair[]} */
function evenOdd({ deals, told }) {
  return told.filter(({ type }) => type === "NumberDrawn").map(({ draw, result }) => [`Draw ${draw}`, result.drawnNumber, deals[draw - 1]?.number]);
}

/** @param {Match} match @returns {Pair[]} */
function upDown({ deals, told, seat }) {
  /** @type {Pair[]} */
  const pairs = [];
  let round = /** @type {Deal} */ ({ round: 0, hands: {} });
  for (const message of told) {
    if (message.type === "GameStarted") pairs.push(["The player who bets first", message.playerOrder[0], deals[0].PG1]);
    if (message.type === "RoundDealt") {
      round = deals[message.roundNumber] ?? { round: message.roundNumber, hands: {} };
      pairs.push([`Round ${round.round}, the mesa`, cardWords(message.mesa), round.mesa]);
      if (seat) pairs.push([`Round ${round.round}, your hand`, message.hand.map(cardWords).sort(), [...(round.hands[seat] ?? [])].sort()]);
    }
    if (message.type === "CardPlayed") {
      const card = cardWords(message.card);
      const held = round.hands[message.playerId] ?? [];
      pairs.push([`Round ${round.round}, a card that was played`, card, held.includes(card) ? card : "another card"]);
    }
  }
  return pairs;
}

/** @param {{rank: string, suit: string}} card */
function cardWords({ rank, suit }) {
  return `${rank} of ${suit}`;
}

/** @param {Match} match @returns {Pair[]} */
function sixtySix({ players, deals, told, seat }) {
  /** @type {Pair[]} */
  const pairs = [];
  let [number, hasTurn] = [0, false];
  for (const message of told) {
    if (message.type === "GameState") number += 1;
    const round = deals[number] ?? { hands: {}, deck: [] };
    const pair = (/** @type {string} */ what, /** @type {unknown} */ seen, /** @type {unknown} */ dealt) => pairs.push([`Round ${number}, ${what}`, seen, dealt]);
    const isTurn = message.type === "NextTurn" || message.type === "YourTurn";
    if (isTurn && !hasTurn) pair("who starts", message.type === "YourTurn" ? seat : players[message.playerIndex], deals[0].starter);
    hasTurn ||= isTurn;
    if (message.type === "GameState") pair("the card face up", message.discardedValue, round.faceUp);
    if (message.type === "FirstTwoCards" && seat) pair("your first two cards", [message.value1, message.value2], round.hands[seat]?.slice(0, 2));
    if (message.type === "TookDeckCard") pair("a card from the deck", message.value, round.deck[round.deck.length - message.deckSize - 1]);
  }
  return pairs;
}

/** @type {{readonly [game: string]: (match: Match) => Pair[]}} */
const SEEN = { "e-card": eCard, "even-odd": evenOdd, "up-down": upDown, 66: sixtySix };
