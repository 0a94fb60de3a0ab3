/** All about a game, asked for once. */

/** @import {GamePage} from "../../types/protocol" */
import { call } from "../lib/http.js";

/** @type {Map<string, Promise<GamePage>>} */
const games = new Map();

/** Raises `Problem`.
 * @param {string} name
 * @returns {Promise<GamePage>} */
export function gamePage(name) {
  const known = games.get(name) ?? call("GET", `/api/games/${encodeURIComponent(name)}`);
  games.set(name, known);
  known.catch(() => games.delete(name));
  return known;
}
