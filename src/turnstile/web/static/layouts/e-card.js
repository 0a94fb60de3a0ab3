/** E-Card: two cards face down between two players, twelve rounds, and who has won them. */

/** @import {GameView, Pair} from "../../types/e-card" */
/** @import {Layout, Scene} from "../table/scene.js" */
import { card, cardName } from "../card/card.js";
import { h } from "../lib/dom.js";
import { capital } from "../lib/words.js";
import { choice } from "../table/choice.js";
import { hints, keys, pictures } from "./e-card/teaching.js";

const DECK = "ecard";
const SIDES = [0, 1, 2, 3];
const ROUNDS_IN_SIDE = 3;
const MEANINGS = /** @type {{[face: string]: string}} */ ({
  E: "beats a Citizen, loses to the Slave",
  C: "beats the Slave, loses to the Emperor",
  S: "beats the Emperor, loses to a Citizen",
});

/** @type {Layout<GameView>} */
const layout = {
  table(scene) {
    const { view } = scene;
    const [near, far] = sides(scene);
    return h("div", { class: "duel" }, slot(scene, far), verdict(scene), slot(scene, near), h("p", { class: "round" }, roundWords(view)));
  },

  hand(scene) {
    const { view, seat } = scene;
    if (seat === null) return null;
    const laid = laidIndex(scene);
    return h("div", { class: "fan", vars: { "--count": view.hand.length } }, view.hand.map((face, index) => {
      if (index === laid) return h("span", { class: "gap", key: `gap ${index}` });
      const drawn = card({ deck: DECK, face, key: keyOf(view, index), label: cardName(DECK, face) });
      const move = scene.actions.find((each) => each.card === face);
      if (!move) return h("span", { class: "choice", key: `held ${index}` }, drawn);
      return choice(scene, move, { key: `held ${index}`, label: `${cardName(DECK, face)}, ${MEANINGS[face]}` }, drawn);
    }));
  },

  seat(scene, player) {
    const { view } = scene;
    if (!view.roles) return null;
    const role = view.roles.emperorPlayer === player ? "Emperor" : "Slave";
    return [h("span", { class: "role" }, role), h("span", { class: "score", "aria-label": `${view.score[player]} points` }, String(view.score[player]))];
  },

  sheet(scene) {
    const { view } = scene;
    const [near, far] = sides(scene);
    const decided = view.revealed.filter((pair) => pair.winner !== null);
    return h("table", { class: "rounds" },
      h("caption", null, "Rounds"),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Side"), SIDES.slice(0, 3).map((at) => h("th", { scope: "col" }, String(at + 1))))),
      h("tbody", null, SIDES.map((side) => h("tr", null,
        h("th", { scope: "row" }, String(side + 1)),
        [0, 1, 2].map((at) => {
          const pair = decided[side * ROUNDS_IN_SIDE + at];
          if (!pair?.winner) return h("td", null, h("span", { class: "mark", "aria-label": "not played" }, "·"));
          const isMine = pair.winner === near;
          return h("td", null, h("span", { class: `mark ${isMine ? "won" : "lost"}`, "aria-label": `${capital(scene.name(pair.winner))} won with the ${cardName(DECK, pair.cards[pair.winner])}` }, isMine ? "●" : "○"));
        }),
      ))),
      h("tfoot", null, h("tr", null, h("td", { colspan: 4 }, `● ${scene.name(near)}   ○ ${scene.name(far)}`))),
    );
  },

  ask(scene) {
    const { view, seat } = scene;
    const raised = raisedFace(scene);
    if (scene.sent) return null;
    if (raised) return `Tap the ${cardName(DECK, raised)} again to lay it: it ${MEANINGS[raised]}.`;
    if (scene.actions.length) return `Your turn: lay a card face down. ${emperorWords(scene)}`;
    if (seat && view.hasPicked[seat]) return `Your card lies on the table. ${capital(scene.name(sides(scene)[1]))} is choosing.`;
    const waiting = layout.toMove?.(scene).filter((player) => player !== seat) ?? [];
    return waiting.length ? `${capital(waiting.map(scene.name).join(" and "))} ${waiting.length > 1 ? "are" : "is"} choosing a card.` : null;
  },

  toMove: ({ view }) => (view.phase === "Picking" ? view.players.filter((player) => !view.hasPicked[player]) : []),

  words(message, scene) {
    const has = (/** @type {string} */ player) => (player === scene.seat ? "You have" : `${scene.name(player)} has`);
    switch (message.type) {
      case "MatchStarted":
        return `The match begins. ${has(message.roles.emperorPlayer)} the Emperor's side first.`;
      case "RoundSetUp":
        return scene.seat === null ? `Round ${message.round}.` : `Round ${message.round}: you hold the ${message.roles.emperorPlayer === scene.seat ? "Emperor" : "Slave"} and four Citizens.`;
      case "OpponentPicked":
        return "";
      case "PairRevealed":
        return `${pairWords(message.pair, scene)} ${pairResult(message.pair, scene)}`;
      case "SideSwitched":
        return `Side ${message.side}: the roles switch. ${has(message.roles.emperorPlayer)} the Emperor's side now.`;
      case "TieBreak":
        return "Six to six! One extra round, in the same roles, decides the match.";
      case "MatchFinished":
        return "";
    }
    return null;
  },

  /** A pair stays on the table until the player lays the next card. Spectators, and all at the end, need time to see it. */
  linger: ({ view, seat, messages }) => (messages.some(({ type }) => type === "PairRevealed") && (seat === null || view.phase === "Finished") ? "look" : 0),

  name: (move) => cardName(DECK, move.card),

  text(scene) {
    const { view, seat } = scene;
    const [near, far] = sides(scene);
    const last = view.revealed.at(-1);
    return [
      `${roundWords(view)}. ${emperorWords(scene)}`,
      `Score: ${scene.name(near)} ${view.score[near]}, ${scene.name(far)} ${view.score[far]}.`,
      seat && view.hand.length ? `Your hand: ${view.hand.map((face) => cardName(DECK, face)).join(", ")}.` : "",
      view.pendingPick ? `You have laid the ${cardName(DECK, view.pendingPick)}.` : "",
      view.hasPicked[far] ? `${capital(scene.name(far))} has laid a card face down.` : "",
      last ? `Last pair: ${pairWords(last, scene)} ${pairResult(last, scene)}` : "",
    ].filter(Boolean);
  },

  hints,
  pictures,
  keys,
};

export default layout;

/** The player at the near side of the table, and the other. A spectator sits with the first.
 * @param {Scene<GameView>} scene */
function sides({ view, seat }) {
  const near = seat ?? view.players[0];
  return [near, view.players.find((each) => each !== near) ?? near];
}

/** Cards have names of their own in every round, so that the cards of the next round are new ones.
 * @param {GameView} view @param {number} index */
function keyOf(view, index) {
  return `card ${view.decisiveRoundIndex} ${index}`;
}

/** Which card of the hand lies on the table: the one that was raised, among equal ones.
 * @param {Scene<GameView>} scene */
function laidIndex(scene) {
  const { view, memory } = scene;
  const laid = view.pendingPick ?? scene.sent?.card;
  if (!laid) return -1;
  if (scene.raised !== null) memory.laid = Number(scene.raised.split(" ")[1]);
  return view.hand[memory.laid] === laid ? memory.laid : view.hand.indexOf(laid);
}

/** @param {Scene<GameView>} scene */
function raisedFace({ view, raised, sent }) {
  return raised !== null && !sent ? (view.hand[Number(raised.split(" ")[1])] ?? null) : null;
}

/** One player's place on the table: the card that lies there now, or the last one that was turned over. The last pair stays
 * until the player at the near side lays a card; until then a card that the other has laid waits beside it.
 * @param {Scene<GameView>} scene @param {string} player */
function slot(scene, player) {
  const { view } = scene;
  const last = lastPair(scene);
  const isLaid = hasLaid(scene, player);
  const kind = last ? (last.winner === player ? "won" : last.winner ? "lost" : "drawn") : "";
  const place = last ? turnedCard(scene, player, last.cards[player]) : isLaid ? laidCard(scene, player) : h("span", { class: "empty" });
  return h("div", { class: `slot ${kind}`, key: `place ${player}` },
    h("div", { class: "pile" }, place, last && isLaid ? laidCard(scene, player) : null),
    h("span", { class: "owner" }, capital(scene.name(player)), view.hasPicked[player] && player !== scene.seat ? h("small", null, "has laid a card") : null),
  );
}

/** @param {Scene<GameView>} scene @param {string} player @param {string} face */
function turnedCard({ view, name }, player, face) {
  return card({ deck: DECK, face, key: `pick ${view.revealed.length - 1} ${player}`, label: `${capital(name(player))}: ${cardName(DECK, face)}` });
}

/** A card that waits for the other one. Only its owner sees its face.
 * @param {Scene<GameView>} scene @param {string} player */
function laidCard(scene, player) {
  const { view, seat, sent } = scene;
  const face = player === seat ? (view.pendingPick ?? sent?.card) : null;
  const from = player === seat ? keyOf(view, laidIndex(scene)) : undefined;
  const label = `${capital(scene.name(player))}: ${face ? cardName(DECK, face) : "a card, face down"}`;
  return card({ deck: DECK, face, key: `pick ${view.revealed.length} ${player}`, from, label, class: "laid" });
}

/** @param {Scene<GameView>} scene @param {string} player */
function hasLaid({ view, seat, sent }, player) {
  return view.hasPicked[player] || (player === seat && sent !== null);
}

/** The last pair, while it still lies on the table.
 * @param {Scene<GameView>} scene */
function lastPair(scene) {
  return hasLaid(scene, sides(scene)[0]) ? null : (scene.view.revealed.at(-1) ?? null);
}

/** @param {Scene<GameView>} scene */
function verdict(scene) {
  const last = lastPair(scene);
  return h("p", { class: "verdict" }, last ? pairResult(last, scene) : "");
}

/** @param {Pair} pair @param {Scene<GameView>} scene */
function pairWords(pair, scene) {
  const [near, far] = sides(scene);
  return `${capital(scene.name(near) === "you" ? "your" : `${scene.name(near)}'s`)} ${cardName(DECK, pair.cards[near])} meets ${scene.name(far)}'s ${cardName(DECK, pair.cards[far])}.`;
}

/** @param {Pair} pair @param {Scene<GameView>} scene */
function pairResult(pair, scene) {
  if (pair.winner === null) return "A draw: both cards are gone.";
  return pair.winner === scene.seat ? "You win the round." : `${capital(scene.name(pair.winner))} wins the round.`;
}

/** @param {Scene<GameView>} scene */
function emperorWords({ view, seat, name }) {
  if (!view.roles) return "";
  return view.roles.emperorPlayer === seat ? "You have the Emperor." : seat ? "You have the Slave." : `${capital(name(view.roles.emperorPlayer))} has the Emperor.`;
}

/** @param {GameView} view */
function roundWords(view) {
  if (view.phase === "Finished") return "The match is over";
  return view.isTieBreak ? "Tie break" : `Round ${view.decisiveRoundIndex + 1} of 12`;
}
