/** Even/Odd: a number between two players, and what they said it would be. */

/** @import {GameMessage, GameResult, GameView} from "../../types/even-odd" */
/** @import {Layout, Scene as AnyScene} from "../table/scene.js" */
/** @typedef {AnyScene<GameView>} Scene */
import { card } from "../card/card.js";
import { h } from "../lib/dom.js";
import { capital, count } from "../lib/words.js";
import { choice } from "../table/choice.js";
import { hints, keys, pictures } from "./even-odd/teaching.js";

const NUMBERS = { even: "2 4 6 8 10", odd: "1 3 5 7 9" };

/** @type {Layout<GameView>} */
const layout = {
  table(scene) {
    const [near, far] = sides(scene);
    const last = shownResult(scene);
    return h("div", { class: "even-odd" },
      h("p", { class: "round" }, drawWords(scene.view)),
      side(scene, far, last),
      h("div", { class: "number" }, card({ deck: "plain", face: last ? String(last.drawnNumber) : null, key: "number", label: last ? `The number ${last.drawnNumber}, which is ${last.numberParity}` : "The next number, face down" }),
        h("p", { class: "parity" }, last ? last.numberParity : "")),
      side(scene, near, last),
      h("p", { class: "verdict" }, last ? resultWords(last, scene) : ""),
    );
  },

  hand(scene) {
    if (!scene.actions.length) return null;
    return h("div", { class: "parities" }, scene.actions.map((move) => {
      const parity = /** @type {"even" | "odd"} */ (move.parityChoice);
      return choice(scene, move, { key: parity, class: "button parity-button", label: `${capital(parity)}: ${NUMBERS[parity]}` }, h("strong", null, capital(parity)), h("small", null, NUMBERS[parity]));
    }));
  },

  seat(scene, player) {
    const { view } = scene;
    const isOver = view.phase === "FINISHED";
    return [
      h("span", null, isOver ? "" : view.hasChosen[player] ? "has chosen" : "is choosing"),
      h("span", { class: "score", "aria-label": count(view.score[player], "point") }, String(view.score[player])),
    ];
  },

  sheet(scene) {
    const [near, far] = sides(scene);
    const { results } = scene.view;
    if (!results.length) return null;
    const said = (/** @type {GameResult} */ result, /** @type {string} */ player) => h("td", { "data-right": result.choices[player] === result.numberParity }, result.choices[player], result.choices[player] === result.numberParity ? h("b", { "aria-label": "right" }, " ✓") : null, h("small", null, ` +${result.points[player]}`));
    return h("table", { class: "draws" },
      h("caption", null, "Draws"),
      h("thead", null, h("tr", null, h("th", { scope: "col" }, "Draw"), h("th", { scope: "col" }, "No."), [near, far].map((player) => h("th", { scope: "col" }, capital(scene.name(player)))))),
      h("tbody", null, results.map((result, index) => h("tr", { key: `draw ${index}` }, h("th", { scope: "row" }, String(index + 1)), h("td", { class: "drawn" }, String(result.drawnNumber)), said(result, near), said(result, far)))),
    );
  },

  ask(scene) {
    const { view, seat, raised, sent } = scene;
    if (sent) return null;
    if (raised) return `Tap "${capital(raised)}" again to say it. It cannot be taken back.`;
    if (scene.actions.length) return "Your turn: will the next number be even or odd?";
    const [, far] = sides(scene);
    if (seat && view.choice) return `You have said ${view.choice}. ${capital(scene.name(far))} is choosing.`;
    const waiting = layout.toMove?.(scene).filter((player) => player !== seat) ?? [];
    return waiting.length ? `${waiting.map((player) => capital(scene.name(player))).join(" and ")} ${waiting.length > 1 ? "are" : "is"} choosing.` : null;
  },

  toMove: ({ view }) => (view.phase === "COLLECTING_CHOICES" ? view.players.filter((player) => !view.hasChosen[player]) : []),

  words(told, scene) {
    const message = /** @type {GameMessage} */ (told);
    switch (message.type) {
      case "MatchStarted":
        return `The match begins: ${count(message.draws, "number")} will be drawn.`;
      case "OpponentChose":
        return "";
      case "NumberDrawn":
        return `Draw ${message.draw}: the number is ${message.result.drawnNumber}, ${message.result.numberParity}. ${resultWords(message.result, scene)}`;
      case "MatchFinished":
        return "";
    }
    return null;
  },

  linger: ({ messages }) => (messages.some(({ type }) => type === "NumberDrawn") ? "look" : null),

  name: (move) => capital(move.parityChoice),

  text(scene) {
    const { view } = scene;
    const [near, far] = sides(scene);
    const last = view.results.at(-1);
    return [
      `${drawWords(view)}.`,
      `Score: ${scene.name(near)} ${view.score[near]}, ${scene.name(far)} ${view.score[far]}.`,
      view.choice ? `You have said ${view.choice}.` : "",
      view.hasChosen[far] ? `${capital(scene.name(far))} has chosen.` : "",
      last ? `The last number was ${last.drawnNumber}, ${last.numberParity}. ${saidWords(last, near, scene)} ${saidWords(last, far, scene)} ${resultWords(last, scene)}` : "",
    ].filter(Boolean);
  },

  hints,
  pictures,
  keys,
};

export default layout;

/** The player at the near side of the table, and the other. A spectator sits with the first.
 * @param {Scene} scene */
function sides({ view, seat }) {
  const near = seat ?? view.players[0];
  return [near, view.players.find((each) => each !== near) ?? near];
}

/** The last draw. It stays until the player at the near side has chosen again.
 * @param {Scene} scene */
function shownResult(scene) {
  const { view, sent } = scene;
  return view.hasChosen[sides(scene)[0]] || sent ? null : (view.results.at(-1) ?? null);
}

/** One player's side of the table: what it said.
 * @param {Scene} scene @param {string} player @param {GameResult | null} last */
function side(scene, player, last) {
  const { view, seat, sent } = scene;
  const own = player === seat ? (view.choice ?? sent?.parityChoice) : null;
  const said = last ? last.choices[player] : own;
  const isRight = last !== null && said === last.numberParity;
  const hidden = view.hasChosen[player] ? "has chosen" : "…";
  return h("div", { class: "side", key: `side ${player}`, "data-right": isRight },
    h("span", { class: "owner" }, capital(scene.name(player))),
    h("span", { class: "said" }, said ? capital(said) : hidden),
    h("span", { class: "points" }, last ? `${isRight ? "✓ right" : "✗ wrong"}, +${last.points[player]}` : ""),
  );
}

/** @param {GameView} view */
function drawWords({ results, draws, phase }) {
  return phase === "FINISHED" ? (draws === 1 ? "The draw is made" : `All ${draws} draws are made`) : `Draw ${results.length + 1} of ${draws}`;
}

/** @param {GameResult} result @param {string} player @param {Scene} scene */
function saidWords(result, player, scene) {
  return `${capital(scene.name(player))} said ${result.choices[player]}.`;
}

/** @param {GameResult} result @param {Scene} scene */
function resultWords(result, scene) {
  const { winnerPlayerId: winner, numberParity, choices } = result;
  if (winner === null) return Object.values(choices).includes(numberParity) ? "Both are right: 1 point each." : "Both are wrong: 1 point each.";
  return `${winner === scene.seat ? "You are" : `${capital(scene.name(winner))} is`} right alone: ${count(result.points[winner], "point")}.`;
}
