/** Up-Down: the mesa, the hand that is being played, the bets, and a score sheet of all rounds. */

/** @import {Card, GameView, HandResult, PlayedCard, PlayerView, RoundResult, RoundState} from "../../types/up-down" */
/** @import {Layout, Scene as AnyScene} from "../table/scene.js" */
/** @typedef {AnyScene<GameView>} Scene */
import { card, cardName } from "../card/card.js";
import { h } from "../lib/dom.js";
import { capital, count, list } from "../lib/words.js";
import { choice, early } from "../table/choice.js";
import { hints, keys, pictures } from "./up-down/teaching.js";
import { words } from "./up-down/words.js";

const DECK = "french";
const LONGEST_ROW = 13; // cards of a hand; the rest goes into a second row
const LONGEST_ROW_OF_BETS = 6;
const MOST_WIDE_COLUMNS = 4; // of the score sheet; for more players it shows the totals alone
const MOST_LEVEL_NAMES = 3; // above its columns; more of them stand upright

/** @type {Layout<GameView>} */
const layout = {
  table(scene) {
    const { currentRound } = scene.view;
    const shown = shownHand(scene);
    return h("div", { class: "up-down", "data-many": scene.view.players.length > 5 },
      h("div", { class: "mesa" }, currentRound ? mesa(currentRound) : null, h("p", null, currentRound ? h("strong", null, `${capital(currentRound.mesa.suit)} beat all`) : null, h("span", null, roundWords(scene.view)))),
      h("div", { class: "middle" },
        shown ? trick(scene, shown.cards, shown.winner, shown.key) : h("p", { class: "waiting" }, bettingWords(scene)),
        h("p", { class: "verdict" }, shown?.verdict ?? ""),
        shown?.isLast ? null : lastHand(scene),
      ),
    );
  },

  hand(scene) {
    const own = playerOf(scene.view, scene.seat);
    if (!own?.hand) return null;
    return [rowsOf(own.hand).map((row) => fan(scene, row)), bets(scene)];
  },

  seat(scene, player) {
    const found = playerOf(scene.view, player);
    if (!found) return null;
    return [h("span", { class: "bet" }, scene.view.currentRound ? betWords(found) : ""), h("span", { class: "score", "aria-label": count(found.score, "point") }, String(found.score))];
  },

  sheet(scene) {
    const { players, completedRounds, roundSequence } = scene.view;
    const isWide = players.length <= MOST_WIDE_COLUMNS;
    return [h("div", { class: "score-sheet", tabindex: 0, role: "region", "aria-label": "Score sheet" },
      h("table", { "data-wide": isWide, "data-upright": players.length > MOST_LEVEL_NAMES },
        h("caption", null, "Score sheet"),
        h("thead", null, h("tr", null, h("th", { scope: "col" }, h("span", null, "Cards")), players.map(({ id }) => h("th", { scope: "col" }, h("span", null, capital(scene.name(id))))))),
        h("tbody", null, roundSequence.map((size, index) => h("tr", { key: `round ${index}`, "data-now": scene.view.currentRound?.roundNumber === index + 1 },
          h("th", { scope: "row" }, String(size)),
          players.map(({ id }) => cell(completedRounds[index], id, isWide)),
        ))),
      ),
    ),
    h("p", { class: "hint" }, isWide ? "Points so far, and hands won of those bet. ✓: the bet was met." : "Points so far. ✓: the bet was met.")];
  },

  ask(scene) {
    const { view, seat, raised, sent, actions } = scene;
    if (sent) return null;
    if (raised?.startsWith("bet ")) return `Tap ${raised.slice(4)} again to bet it.`;
    if (raised) return `Tap the ${cardName(DECK, raised.slice(5))} again to play it.`;
    if (actions[0]?.type === "PLACE_BET") return `Your turn: ${view.currentRound?.cardsPerPlayer === 1 ? "will you win the hand" : `how many of the ${view.currentRound?.cardsPerPlayer} hands will you win`}?${forbiddenWords(scene)}`;
    if (actions[0]?.type === "PLAY_CARD") return followWords(scene);
    const waiting = layout.toMove?.(scene)[0];
    if (!waiting || waiting === seat) return null;
    const queued = playerOf(view, seat)?.hand?.map(faceOf).find((face) => aheadName(view, face) === scene.queued);
    return `${capital(scene.name(waiting))} is ${view.status === "betting" ? "betting" : "choosing a card"}.${queued ? ` On your turn you play the ${cardName(DECK, queued)}.` : ""}`;
  },

  toMove({ view }) {
    const round = view.currentRound;
    if (round && view.status === "betting") return [round.bettingOrder[round.currentBettingIndex]];
    const hand = round?.currentHand;
    return hand && view.status === "playing_hand" ? [hand.handOrder[hand.currentPlayerIndex]] : [];
  },

  words,

  linger: ({ messages }) => (messages.some(({ type }) => type === "HandCompleted" || type === "RoundCompleted") ? "look" : null),

  ahead: (move, scene) => (move.type === "PLAY_CARD" ? aheadName(scene.view, faceOf(move.card)) : null),

  name: (move) => (move.type === "PLACE_BET" ? `Bet ${move.bet}` : move.type === "PLAY_CARD" ? cardName(DECK, faceOf(move.card)) : "Start the match"),

  text(scene) {
    const { view, seat, name } = scene;
    const { currentRound } = view;
    const own = playerOf(view, seat);
    const shown = shownHand(scene);
    return [
      `${roundWords(view)}.`,
      currentRound ? `The mesa is the ${cardName(DECK, faceOf(currentRound.mesa))}: ${currentRound.mesa.suit} beat all other suits.` : "",
      own?.hand?.length ? `Your hand: ${list(own.hand.map((each) => cardName(DECK, faceOf(each))))}.` : "",
      shown ? `${shown.isLast ? "The last hand: " : "On the table: "}${shown.cards.map((each) => `${name(each.playerId)} ${cardName(DECK, faceOf(each.card))}`).join(", ")}. ${shown.verdict}` : "",
      ...view.players.map((each) => `${capital(name(each.id))}: ${view.currentRound ? `${betWords(each)}, ` : ""}${count(each.score, "point")}${each.id === seat ? "" : `, ${count(each.handSize, "card")}`}.`),
    ].filter(Boolean);
  },

  hints,
  pictures,
  keys,
};

export default layout;

/** @param {GameView} view @param {string | null} id */
function playerOf(view, id) {
  return view.players.find((each) => each.id === id);
}

/** @param {Card} card */
function faceOf({ rank, suit }) {
  return `${rank}:${suit}`;
}

// the middle

/** @param {RoundState} round */
function mesa({ mesa: turned, roundNumber }) {
  return h("figure", null, card({ deck: DECK, face: faceOf(turned), key: `mesa ${roundNumber}`, label: `The mesa: ${cardName(DECK, faceOf(turned))}` }), h("figcaption", null, "Mesa"));
}

/** The cards in the middle: the hand that is being played. Before its first card, the last one stays; a hand of the round
 * before stays until this player has bet.
 * @param {Scene} scene
 * @returns {{cards: readonly PlayedCard[], winner: string | null, key: string, verdict: string, isLast: boolean} | null} */
function shownHand(scene) {
  const { currentRound, completedRounds, status } = scene.view;
  const hand = currentRound?.currentHand;
  if (hand?.cardsPlayed.length) return { cards: hand.cardsPlayed, winner: null, key: `${currentRound?.roundNumber} ${hand.handNumber}`, verdict: "", isLast: false };
  const last = lastOf(scene.view);
  const hasBet = (playerOf(scene.view, scene.seat)?.bet ?? null) !== null;
  if (!last || (status === "betting" && hasBet) || (hand && last.round !== currentRound?.roundNumber)) return null;
  const done = last.round === currentRound?.roundNumber ? "" : ` ${roundResult(completedRounds[last.round - 1], scene)}`;
  return { cards: last.hand.cardsPlayed, winner: last.hand.winnerId, key: `${last.round} ${last.hand.handNumber}`, verdict: `${winnerWords(last.hand, scene)}${done}`, isLast: true };
}

/** The hand that was completed last, and the number of its round.
 * @param {GameView} view */
function lastOf({ currentRound, completedRounds }) {
  const hand = currentRound?.completedHands.at(-1);
  if (currentRound && hand) return { hand, round: currentRound.roundNumber };
  const before = completedRounds.at(-1);
  const last = before?.completedHands.at(-1);
  return before && last ? { hand: last, round: before.roundNumber } : null;
}

/** @param {Scene} scene @param {readonly PlayedCard[]} cards @param {string | null} winner @param {string} hand names the hand, for motion */
function trick(scene, cards, winner, hand) {
  return h("ol", { class: "trick", "aria-label": "Cards on the table" }, cards.map((played, index) => {
    const face = faceOf(played.card);
    const isWinner = played.playerId === winner;
    return h("li", { key: `place ${hand} ${played.playerId}`, "data-won": isWinner },
      card({ deck: DECK, face, key: `on table ${hand} ${face}`, from: played.playerId === scene.seat ? `held ${face}` : undefined, label: `${capital(scene.name(played.playerId))}: ${cardName(DECK, face)}${isWinner ? ", wins the hand" : ""}` }),
      isWinner ? h("span", { class: "sign", "aria-hidden": "true" }, "★") : null,
      h("span", { class: "owner", "aria-hidden": "true" }, capital(scene.name(played.playerId)), index === 0 && !winner ? h("small", null, " leads") : null),
    );
  }));
}

/** @param {Scene} scene */
function lastHand(scene) {
  const last = lastOf(scene.view);
  if (!last) return null;
  return h("details", { class: "last-hand", key: "last hand" }, h("summary", { class: "quiet" }, "Last hand"),
    h("div", { class: "pop" }, h("p", null, winnerWords(last.hand, scene)), trick(scene, last.hand.cardsPlayed, last.hand.winnerId, `seen ${last.round} ${last.hand.handNumber}`)));
}

// the hand

/** The cards of a hand by suit, in rows that are not too long.
 * @param {readonly Card[]} cards */
function rowsOf(cards) {
  const rows = Math.ceil(cards.length / LONGEST_ROW);
  const size = Math.ceil(cards.length / rows);
  return Array.from({ length: rows || 0 }, (_, row) => cards.slice(row * size, (row + 1) * size));
}

/** @param {Scene} scene @param {readonly Card[]} cards */
function fan(scene, cards) {
  const isPlaying = scene.actions[0]?.type === "PLAY_CARD";
  const isNewSuit = (/** @type {number} */ index) => index > 0 && cards[index].suit !== cards[index - 1].suit;
  const gaps = cards.filter((_, index) => isNewSuit(index)).length;
  return h("div", { class: "fan suits", vars: { "--count": cards.length, "--gaps": gaps } }, cards.map((each, index) => {
    const face = faceOf(each);
    const drawn = card({ deck: DECK, face, key: `held ${face}`, label: cardName(DECK, face) });
    const move = scene.actions.find((action) => action.type === "PLAY_CARD" && faceOf(action.card) === face);
    const kind = `${isNewSuit(index) ? "new-suit" : ""} ${isPlaying && !move ? "not-now" : ""}`;
    if (!move && isWaiting(scene)) return h("span", { class: `choice ${kind}`, key: `place of ${face}` }, early(scene, aheadName(scene.view, face), `${cardName(DECK, face)}: play it on your turn`, drawn));
    if (!move) return h("span", { class: `choice ${kind}`, key: `place of ${face}` }, drawn);
    return choice(scene, move, { key: `card ${face}`, label: cardName(DECK, face), class: kind }, drawn);
  }));
}

/** Names a card that is played in this hand, and in no other.
 * @param {GameView} view @param {string} face */
function aheadName({ currentRound }, face) {
  return `${currentRound?.roundNumber} ${currentRound?.currentHand?.handNumber} ${face}`;
}

/** Whether the player has yet to play in this hand, and it is not its turn.
 * @param {Scene} scene */
function isWaiting({ view, seat, actions, sent }) {
  const hand = view.currentRound?.currentHand;
  return Boolean(hand && seat && !actions.length && !sent && view.status === "playing_hand" && hand.handOrder.slice(hand.currentPlayerIndex).includes(seat));
}

/** Every bet as a large button. One that the server does not offer is shown, but cannot be made.
 * @param {Scene} scene */
function bets(scene) {
  const offered = scene.actions.filter(({ type }) => type === "PLACE_BET");
  if (!offered.length) return null;
  const all = Array.from({ length: (scene.view.currentRound?.cardsPerPlayer ?? 0) + 1 }, (_, bet) => bet);
  const columns = Math.ceil(all.length / Math.ceil(all.length / LONGEST_ROW_OF_BETS));
  return h("div", { class: "bets", key: "bets", role: "group", "aria-label": "Your bet", vars: { "--columns": columns } }, all.map((bet) => {
    const move = offered.find((each) => each.bet === bet);
    if (!move) return h("button", { type: "button", class: "button bet", disabled: true, key: `no bet ${bet}`, "aria-label": `${bet} is not allowed` }, String(bet));
    return choice(scene, move, { key: `bet ${bet}`, class: "button bet", label: `Bet ${bet}`, digit: bet }, String(bet));
  }));
}

// the sheet

/** @param {RoundResult | undefined} round @param {string} player @param {boolean} isWide */
function cell(round, player, isWide) {
  const result = round?.results.find((each) => each.playerId === player);
  if (!result) return h("td", null, h("span", { class: "open", "aria-label": "not played" }, "·"));
  const isMet = result.points > 0;
  const label = `${count(result.score, "point")}; won ${result.handsWon}, bet ${result.bet}`;
  return h("td", { "data-met": isMet }, h("span", { role: "img", "aria-label": label, title: label }, String(result.score), isMet ? h("b", null, "✓") : null, isWide ? h("small", null, `${result.handsWon}/${result.bet}`) : null));
}

// words

/** @param {PlayerView} player */
function betWords({ bet, handsWon }) {
  return bet === null ? "no bet yet" : `won ${handsWon} of ${bet}`;
}

/** @param {GameView} view */
function roundWords({ currentRound, roundSequence }) {
  if (!currentRound) return "All rounds are played";
  const hand = currentRound.currentHand ? `, hand ${currentRound.currentHand.handNumber} of ${currentRound.cardsPerPlayer}` : `: ${count(currentRound.cardsPerPlayer, "card")} each`;
  return `Round ${currentRound.roundNumber} of ${roundSequence.length}${hand}`;
}

/** @param {Scene} scene */
function bettingWords({ view }) {
  const round = view.currentRound;
  if (!round) return "";
  const sum = view.players.reduce((total, { bet }) => total + (bet ?? 0), 0);
  return view.status === "betting" ? `Bets so far: ${sum}, for ${count(round.cardsPerPlayer, "hand")}` : `All bets: ${sum}, for ${count(round.cardsPerPlayer, "hand")}`;
}

/** @param {Scene} scene */
function forbiddenWords({ view, actions }) {
  const size = view.currentRound?.cardsPerPlayer ?? 0;
  const missing = Array.from({ length: size + 1 }, (_, bet) => bet).find((bet) => !actions.some((each) => each.bet === bet));
  return missing === undefined ? "" : ` Not ${missing}: the bets may not add up to ${size}.`;
}

/** @param {Scene} scene */
function followWords({ view, actions }) {
  const pinta = view.currentRound?.currentHand?.pinta;
  if (!pinta) return "Your turn: lead with any card.";
  const isFollowing = actions.every((each) => each.card.suit === pinta);
  return isFollowing ? `Your turn: follow with ${pinta}.` : `Your turn: you have no ${pinta}, so play any card.`;
}

/** @param {HandResult} hand @param {Scene} scene */
function winnerWords(hand, scene) {
  const best = hand.cardsPlayed.find((each) => each.playerId === hand.winnerId);
  const how = best ? ` with the ${cardName(DECK, faceOf(best.card))}` : "";
  return hand.winnerId === scene.seat ? `You won the hand${how}.` : `${capital(scene.name(hand.winnerId))} won the hand${how}.`;
}

/** @param {RoundResult} round @param {Scene} scene */
function roundResult(round, scene) {
  const own = round.results.find((each) => each.playerId === scene.seat);
  if (!own) return `Round ${round.roundNumber} is over.`;
  return `Round ${round.roundNumber}: you won ${own.handsWon} of ${own.bet}, which makes ${count(own.points, "point")}.`;
}
