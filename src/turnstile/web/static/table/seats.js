/** The players at a table: names, presence, whose turn, clocks; and who is missing, since when, and what happens then. */

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

/** Who is missing from a match, since when, and what happens next.
 * @param {TableState} state @param {(player: string) => string} name */
export function missing(state, name) {
  const { status, here, seat: own, goneSince } = state;
  if (!status || status.result || ["Seating", "Closed"].includes(status.phase)) return null;
  const absent = status.seats.filter((seat) => seat.kind !== "bot" && seat.player !== own && (seat.isAway || !here.includes(seat.player)));
  if (status.settings.delay > 0 && own === null) return null;
  return absent.map((seat) => {
    const since = goneSince[seat.player];
    const when = since ? ` since ${new Date(since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" })} (${timeLeft(Date.now() - since)})` : "";
    return h("p", { class: "missing", key: `missing ${seat.player}` }, `${capital(name(seat.player))} is ${seat.isAway ? "away" : "not connected"}${when}. ${consequence(seat, state)}`);
  });
}

/** @param {Seat} seat @param {TableState} state */
function consequence(seat, { status, skew }) {
  const clock = status?.settings.clock;
  const due = status?.clocks[seat.player];
  if (seat.isAway && clock?.runOut === "bot") return "A bot plays until they return.";
  if (due !== undefined && clock) {
    const left = timeLeft(due - skew - Date.now());
    if (clock.runOut === "forfeit") return `They lose the match in ${left}.`;
    if (clock.runOut === "bot") return `A bot takes over in ${left}.`;
  }
  if (status?.acksDue) return `The match goes on without them in ${timeLeft(status.acksDue - skew - Date.now())}.`;
  return "The match waits for their move; their place is kept.";
}
