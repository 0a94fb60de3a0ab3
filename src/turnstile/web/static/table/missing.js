/** Who is missing from a match, since when, and what happens next. */

/** @import {TableState} from "./state.js" */
/** @import {Seat} from "../../types/protocol" */
import { h } from "../lib/dom.js";
import { capital, timeLeft } from "../lib/words.js";

/** @param {TableState} state @param {(player: string) => string} name */
export function missing(state, name) {
  const { status, here, seat: own } = state;
  if (!status || status.result || ["Seating", "Closed"].includes(status.phase)) return null;
  if (status.settings.delay > 0 && own === null) return null; // this reader is not told who is here now
  const absent = status.seats.filter((seat) => seat.kind !== "bot" && seat.player !== own && (seat.isAway || !here.includes(seat.player)));
  return absent.map((seat) => h("p", { class: "missing", key: `missing ${seat.player}` }, `${capital(name(seat.player))} is ${here.includes(seat.player) ? "away" : "not connected"}${sinceWords(seat, state)}. ${consequence(seat, state)}`));
}

/** Since when a player is gone. A page that was opened later knows only that much.
 * @param {Seat} seat @param {TableState} state */
function sinceWords({ player }, { goneSince, here, cameAt }) {
  if (here.includes(player)) return "";
  const since = goneSince[player] ?? cameAt;
  const time = new Date(since).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return ` since ${player in goneSince ? "" : "before "}${time} (${timeLeft(Date.now() - since)}${player in goneSince ? "" : " or more"})`;
}

/** @param {Seat} seat @param {TableState} state */
function consequence({ player, isAway }, { status, skew }) {
  const clock = status?.settings.clock;
  const due = status?.clocks[player];
  const leftUntil = (/** @type {number} */ instant) => timeLeft(instant - skew - Date.now());
  if (isAway && clock?.runOut === "bot") return "A bot plays until they return.";
  if (clock && due !== undefined) {
    if (clock.runOut === "forfeit") return `They lose the match in ${leftUntil(due)}.`;
    if (clock.runOut === "bot") return `A bot takes over in ${leftUntil(due)}.`;
  }
  if (status?.acksDue) return `The match goes on without them in ${leftUntil(status.acksDue)}.`;
  if (clock && due === undefined && clock.runOut !== "wait") return `On their turn they have ${timeOf(clock, status?.left[player])}; then ${clock.runOut === "bot" ? "a bot takes over" : "they lose the match"}.`;
  return "The match waits for their move; their place is kept.";
}

/** How long a player has on its next turn.
 * @param {{seconds: number, per: string}} clock @param {number | undefined} left what is left of the time for the whole match */
function timeOf({ seconds, per }, left) {
  return timeLeft(per === "match" && left !== undefined ? left : seconds * 1000);
}
