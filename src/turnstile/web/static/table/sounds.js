/** What can be heard at a table: a move, the player's turn, a refusal, the end. */

/** @import {Store} from "../lib/store.js" */
/** @import {TableState} from "./state.js" */
/** @import {Meaning} from "../lib/sound.js" */
import { sound } from "../lib/sound.js";

/** Listen to the changes of a table. What was there when the page was opened is not heard.
 * @param {Store<TableState>} store */
export function hear(store) {
  let before = store.state;
  store.watch((s) => [s.stream, s.status?.result, s.refusal], (now) => {
    const meaning = meaningOf(before, now);
    before = now;
    if (meaning) sound(meaning);
  });
}

/** What a change means to the player; the most important thing alone.
 * @param {TableState} before @param {TableState} now
 * @returns {Meaning | null} */
export function meaningOf(before, now) {
  if (now.refusal && now.refusal !== before.refusal) return "refused";
  const { result } = now.status ?? {};
  if (before.stream.view === null) return null;
  if (result && !before.status?.result) return now.seat === null ? "over" : result.winners.includes(now.seat) ? "won" : result.winners.length ? "lost" : "over";
  if (result || now.stream === before.stream) return null;
  if (now.stream.actions.length && !before.stream.actions.length) return "turn";
  return !now.isJump && now.stream.messages.length ? "acted" : null;
}
