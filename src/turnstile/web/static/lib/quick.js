/** A match against bots in one tap: a player, a table and a start, without a form. */

/** @import {GameEntry, OpenedTable} from "../../types/protocol" */
import { call } from "./http.js";
import { asPlayer } from "./me.js";
import { go } from "./router.js";
import { newId } from "./wire.js";

const LIKED_PLAYERS = 3;

/** @param {GameEntry} game */
export async function playNow(game) {
  const players = Math.min(Math.max(LIKED_PLAYERS, game.seats.fewest), game.seats.most);
  const bots = Array.from({ length: players - 1 }, () => game.bots[0].name);
  const opened = /** @type {OpenedTable} */ (await asPlayer(() => call("POST", "/api/tables", { game: game.name, bots, settings: { isListed: false }, id: newId() })));
  await call("POST", `/api/tables/${opened.table}/commands`, { type: "start", id: newId() });
  go(`/table/${opened.table}`);
}
