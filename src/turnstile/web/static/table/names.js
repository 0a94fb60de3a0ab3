/** The names of the players at a table. */

/** @import {TableState} from "./state.js" */
import { player } from "../lib/me.js";
import { capital } from "../lib/words.js";

/** How a player is called: "you", the name it has chosen, or the kind of a bot.
 * @param {string} id @param {TableState} state */
export function nameOf(id, { seat, names, status }) {
  if (id === seat) return "you";
  if (names[id]) return names[id];
  const found = status?.seats.find((each) => each.player === id);
  if (found?.kind === "bot") {
    const isOnly = status?.seats.filter((each) => each.bot === found.bot).length === 1;
    return isOnly && id === `${found.bot} ${id.split(" ").at(-1)}` ? capital(found.bot ?? id) : capital(id);
  }
  return id.startsWith("p-") ? (player()?.player === id ? "you" : "a player") : id;
}
