/** The players at a table: names, presence, whose turn, clocks. */

/** @import {TableState} from "./state.js" */
/** @import {Scene} from "./scene.js" */
/** @import {Seat} from "../../types/protocol" */
/** @import {Children} from "../../types/dom" */
import { h } from "../lib/dom.js";
import { capital, timeLeft } from "../lib/words.js";

/** @param {TableState} state
 * @param {Scene} scene
 * @param {readonly string[]} toMove
 * @param {(player: string) => Children} more what the game shows of a player */
export function seats(state, scene, toMove, more) {
  const { status, seat: own } = state;
  const result = status?.result;
  return (status?.seats ?? []).map((seat) => {
    const isWinner = result?.winners.includes(seat.player);
    const isTurn = toMove.includes(seat.player);
    return h("li", { key: `seat ${seat.player}`, class: "seat", "data-turn": isTurn, "data-own": seat.player === own, "data-winner": isWinner },
      h("span", { class: `presence ${presence(seat, state)}`, role: "img", "aria-label": presenceWords(seat, state) }),
      h("span", { class: "name" }, capital(scene.name(seat.player)), seat.kind === "bot" ? h("small", null, "bot") : null, isWinner ? h("small", { class: "winner" }, "winner") : null),
      isTurn ? h("span", { class: "turn" }, seat.player === own ? "your turn" : "to move") : null,
      clock(seat.player, state),
      h("span", { class: "more" }, more(seat.player)),
    );
  });
}

/** @param {Seat} seat @param {TableState} state */
function presence(seat, { here, seat: own, connection }) {
  if (seat.kind === "bot") return "bot";
  if (connection.state !== "open") return "unknown";
  if (seat.isAway) return "away";
  return here.includes(seat.player) || seat.player === own ? "here" : "gone";
}

/** @param {Seat} seat @param {TableState} state */
function presenceWords(seat, state) {
  return { bot: "bot", away: "away", here: "connected", gone: "not connected", unknown: "not known now" }[presence(seat, state)];
}

/** @param {string} player @param {TableState} state */
function clock(player, { status, skew }) {
  const due = status?.clocks[player];
  const left = due === undefined ? status?.left[player] : due - skew - Date.now();
  if (left === undefined) return null;
  return h("span", { class: `clock ${due === undefined ? "" : "runs"} ${left < 10_000 ? "short" : ""}`, role: "timer" }, timeLeft(left));
}
