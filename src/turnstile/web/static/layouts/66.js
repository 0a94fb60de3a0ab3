/** 66: rows of cards that lie face down, a deck and a pile. Tap what a move is made of; what is raised is played next. */

/** @import {GameView} from "../../types/66" */
/** @import {Layout, Scene} from "../table/scene.js" */
import { h } from "../lib/dom.js";
import { capital, count } from "../lib/words.js";
import { isOpen, piles, placeWords, row } from "./66/cards.js";
import { confirm, DECK, isOffered, PILE, raisedTargets, readyMove, START, STOP, tap } from "./66/targets.js";
import { hints, keys, pictures } from "./66/teaching.js";
import { aCard, cards, messageWords, moveWords, POWERS, whoIs, whose } from "./66/words.js";

const LIMIT = 66;
/** How long cards that were turned over stay before the match goes on, in milliseconds: they are there to be remembered. */
const CLAIM_MS = 1_800;
const ROUND_MS = 20_000;
const CLAIMS = new Set(["IdenticalCardsShown", "DifferentCardsShown", "ShowedDifferentCards", "OwnCard", "AnothersCard", "StopInitiated"]);
const NO_DEEDS = new Set(["GameState", "FirstTwoCards", "NextTurn", "YourTurn", "GameFinished"]);

/** @type {Layout<GameView>} */
const layout = {
  table: (scene) => h("div", { class: "sixtysix" }, piles(scene), h("p", { class: "round" }, roundWords(scene))),

  hand(scene) {
    const { view } = scene;
    if (view.playerIndex === null) return null;
    return h("div", { class: "own66" }, row(scene, view.playerIndex, "mine"), bar(scene));
  },

  seat(scene, player) {
    const { view } = scene;
    const seat = view.players.indexOf(player);
    const total = view.totals[seat];
    const hasRow = view.playerIndex !== seat || scene.status.result !== null;
    return [
      h("span", { class: "points" }, h("span", { class: "score", "aria-label": count(total, "point") }, String(total)), note(scene, seat)),
      hasRow ? row(scene, seat, "theirs") : null,
    ];
  },

  sheet(scene) {
    const { view } = scene;
    return h("table", { class: "sheet66" },
      h("caption", null, "Points"),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Round")), view.players.map((player) => h("th", { scope: "col" }, capital(scene.name(player)))))),
      h("tbody", null, view.rounds.map((round, index) => h("tr", null,
        h("th", { scope: "row" }, String(index + 1)),
        round.scores.map((points, seat) => h("td", { class: round.stopper === seat ? "stopped" : "" }, String(points), round.stopper === seat ? h("abbr", { title: "stopped the round" }, "■", h("span", { class: "visually-hidden" }, " stopped the round")) : null)),
      ))),
      h("tfoot", null,
        h("tr", null, h("th", { scope: "row" }, "Total"), view.totals.map((points) => h("td", null, String(points)))),
        h("tr", null, h("td", { colspan: view.players.length + 1 }, h("small", null, `${view.rounds.some((round) => round.stopper !== null) ? "■ stopped the round. " : ""}A total over ${LIMIT} ends the match; the lowest wins.`))),
      ),
    );
  },

  ask(scene) {
    if (scene.sent) return null;
    return scene.actions.length ? choiceWords(scene) : newsWords(scene);
  },

  toMove: ({ view }) => (view.phase === "GAME_FINISHED" ? [] : [view.players[view.turn]]),

  words: messageWords,
  name: moveWords,

  linger({ view, messages, status }) {
    if (isLooking({ view, status })) return Math.min(ROUND_MS, status.settings.ackSeconds * 600);
    if (messages.some(({ type }) => CLAIMS.has(type))) return CLAIM_MS;
    return messages.every(({ type }) => NO_DEEDS.has(type)) ? 0 : "step";
  },

  text(scene) {
    const { view } = scene;
    return [
      `${roundWords(scene)}. ${capital(whose(scene, view.turn))} turn.`,
      `The deck has ${count(view.deckSize, "card")}. The discard pile, from the top: ${[...view.discarded].reverse().join(", ") || "empty"}.`,
      view.taken === null ? "" : `You have taken ${aCard(view.taken)}.`,
      ...view.seen.flatMap((hand, seat) => hand.map((_, index) => `${placeWords(scene, seat, index)}.`)),
      `Totals: ${view.totals.map((points, seat) => `${whoIs(scene, seat)} ${points}`).join(", ")}.`,
    ].filter(Boolean);
  },

  hints,
  pictures,
  keys,
};

export default layout;

/** What is worth knowing about a player now: it has stopped the round, or what its open cards count.
 * @param {Scene<GameView>} scene @param {number} seat */
function note({ view }, seat) {
  if (isOpen(view)) {
    const points = view.rounds.at(-1)?.scores[seat] ?? 0;
    return h("span", { class: "note" }, `+${points}`, h("span", { class: "visually-hidden" }, " in this round"));
  }
  return view.stopper === seat ? h("span", { class: "note" }, "stopped") : null;
}

/** The buttons below the player's cards: what the raised cards do, and the way back; or what needs no card.
 * @param {Scene<GameView>} scene */
function bar(scene) {
  const raised = raisedTargets(scene);
  const isBusy = scene.sent ? "true" : null;
  const ready = readyMove(scene);
  if (raised.length) {
    return h("div", { class: "bar66" },
      ready ? h("button", { type: "button", class: "button primary", "aria-disabled": isBusy, "data-confirm": true, onclick: () => confirm(scene) }, moveWords(ready, scene)) : null,
      h("button", { type: "button", class: "button", "aria-disabled": isBusy, "data-back": true, onclick: () => !scene.sent && scene.raise(null) }, "Put back", h("kbd", null, "Esc")),
    );
  }
  return h("div", { class: "bar66" },
    isOffered(scene, START) ? h("button", { type: "button", class: "button primary", "data-choice": true, "data-target": START, "aria-keyshortcuts": "N", "aria-disabled": isBusy, onclick: () => !scene.sent && scene.act(scene.actions[0]) }, moveWords(scene.actions[0], scene), h("kbd", null, "N")) : null,
    isOffered(scene, STOP) ? h("button", { type: "button", class: "button", "data-choice": true, "data-target": STOP, "aria-keyshortcuts": "S", "aria-disabled": isBusy, onclick: () => tap(scene, STOP) }, "Stop the round", h("kbd", null, "S")) : null,
    isLooking(scene) && !hasGoneOn(scene) ? h("button", { type: "button", class: "button primary", "aria-keyshortcuts": "N", onclick: () => (scene.goOn(), scene.raise(seenKey(scene.view))) }, "Go on", h("kbd", null, "N")) : null,
  );
}

/** Whether a bot deals next: it waits until the player has seen the open cards. A person waits by itself.
 * @param {Pick<Scene<GameView>, "view" | "status">} scene */
function isLooking({ view, status }) {
  return view.phase === "ROUND_FINISHED" && view.playerIndex !== null && status.seats.some(({ player, kind }) => player === view.players[view.turn] && kind === "bot");
}

/** Whether the player has gone on from the open cards of a finished round.
 * @param {Scene<GameView>} scene */
function hasGoneOn({ view, raised }) {
  return raised === seenKey(view);
}

/** @param {GameView} view */
function seenKey(view) {
  return `seen ${view.rounds.length}`;
}

// words

/** @param {Scene<GameView>} scene */
function roundWords(scene) {
  const { view } = scene;
  if (view.phase === "GAME_FINISHED") return "The match is over";
  if (view.phase === "ROUND_FINISHED") return `Round ${view.rounds.length} is over`;
  const round = `Round ${view.rounds.length + 1}`;
  return view.stopper === null ? round : `${round}: last turns, ${whoIs(scene, view.stopper)} stopped`;
}

/** What the player may do, and what the next tap does.
 * @param {Scene<GameView>} scene */
function choiceWords(scene) {
  const { view } = scene;
  const raised = raisedTargets(scene);
  const ready = readyMove(scene);
  if (ready) return readyWords(scene, ready.type);
  if (raised.length) return raisedWords(scene, raised);
  switch (view.phase) {
    case "NOT_STARTED":
      return "You begin: deal the cards.";
    case "READY_FOR_TURN":
      return view.stopper === null ? "Your turn: tap the deck, the pile, or cards of yours that are identical." : "Your last turn: tap the deck, the pile, or cards of yours that are identical.";
    case "DECK_CARD_TAKEN":
      return `You took ${aCard(view.taken)}. Tap the card that it replaces, or the pile to discard it${view.taken !== null && POWERS[view.taken] ? ` and ${POWERS[view.taken]}` : ""}.`;
    case "discarded":
      return `The ${view.discardedValue}: ${exchanges(scene) ? "tap a card of yours, and another player's card to exchange it for" : `${POWERS[view.discardedValue ?? 0]}. Tap it`}.`;
    case "replacing_cards":
      return `They are identical. Tap the deck or the pile: one card takes the place of ${cards(view.touched.map((place) => place.cardIndex))}.`;
    case "ROUND_FINISHED":
      return "The round is over. You deal the next one.";
  }
  return "Your turn.";
}

/** @param {Scene<GameView>} scene */
function exchanges({ actions }) {
  return actions[0]?.type === "ExchangeCards";
}

/** @param {Scene<GameView>} scene @param {string} type */
function readyWords({ view }, type) {
  if (type === "ShowCards") return "Show them to the others as identical? Tap a card to put it back.";
  if (type === "StopRound") return "Stop the round? This is your last turn in it; every other player has one more.";
  if (type === "Discard" && view.taken !== null && POWERS[view.taken]) return `Tap the pile again to discard the ${view.taken} and ${POWERS[view.taken]}.`;
  return "Tap again to do it.";
}

/** @param {Scene<GameView>} scene @param {readonly string[]} raised */
function raisedWords(scene, raised) {
  if (raised.includes(PILE)) return `Tap the card of yours that the ${scene.view.discardedValue} replaces.`;
  if (raised.includes(DECK)) return "Tap the deck again.";
  if (exchanges(scene)) return raised[0].startsWith("own") ? "Now tap the card of another player that you want." : "Now tap the card of yours that you give.";
  return `Tap another card that is identical, or the pile to take the ${scene.view.discardedValue} instead.`;
}

/** What happens while the player has nothing to choose.
 * @param {Scene<GameView>} scene */
function newsWords(scene) {
  const { view } = scene;
  const peeked = peekWords(scene);
  if (peeked) return peeked;
  if (view.phase === "ROUND_FINISHED") return `The round is over. ${capital(whoIs(scene, view.turn))} deals the next one${isLooking(scene) && !hasGoneOn(scene) ? " when you have seen the cards" : ""}.`;
  const told = scene.messages.filter(({ type }) => !NO_DEEDS.has(type)).map((message) => messageWords(message, scene)).filter(Boolean);
  if (told.length) return told.join(" ");
  if (view.phase === "ROUND_STARTING") return view.playerIndex === null ? "The cards are dealt." : "The cards are dealt. You see your first two.";
  if (view.turn === view.playerIndex) return "Your turn is about to begin.";
  return view.phase === "DECK_CARD_TAKEN" ? `${capital(whoIs(scene, view.turn))} took a card from the deck.` : `${capital(whose(scene, view.turn))} turn.`;
}

/** What the player sees when it looks at a card.
 * @param {Scene<GameView>} scene */
function peekWords(scene) {
  const { view } = scene;
  if (view.turn !== view.playerIndex || !["PEEKING_OWN_CARD", "PEEKING_ANOTHERS_CARD"].includes(view.phase)) return null;
  const [{ playerIndex: seat, cardIndex: index }] = view.touched;
  return `${capital(whose(scene, seat))} card ${index + 1} is ${aCard(view.seen[seat][index].value)}.`;
}
