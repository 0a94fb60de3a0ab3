/** Everything that the page knows about a table, as one frozen value. */

/** @import {TableStatus, GamePage, InvitationLink} from "../../types/protocol" */
/** @import {Connection} from "../lib/wire.js" */
/** @import {Stream, Tagged} from "../lib/fold.js" */
/** @import {Layout} from "./scene.js" */
/** @import {Fairness} from "../fair/check.js" */
import { NOTHING_YET } from "../lib/fold.js";

/** @typedef {object} TableState
 * @property {Connection} connection
 * @property {TableStatus | null} status
 * @property {string | null} seat
 * @property {Readonly<Stream>} stream
 * @property {boolean} isJump whether the stream has changed by more than one update, or is shown for the first time
 * @property {{readonly [player: string]: string}} names
 * @property {readonly string[]} here the players who are connected
 * @property {{readonly [player: string]: number}} goneSince when players were seen to leave
 * @property {number} cameAt when this page was opened
 * @property {string | null} raised
 * @property {Tagged | null} sent
 * @property {string} refusal the sentence of the last refusal
 * @property {Tagged | null} refused the move that it is about
 * @property {string | null} queued what the player wants to play on its next turn
 * @property {readonly string[]} seenHints the hints of this game that the player has seen
 * @property {InvitationLink | null} invitation the link for friends as a QR code, once the player has asked for it
 * @property {string} problem why the table cannot be shown
 * @property {Layout | null} layout
 * @property {GamePage | null} game
 * @property {number} skew how far the clock of the server is ahead of ours, in milliseconds
 * @property {readonly Readonly<Stream>[]} moments of the replay, once the match is over
 * @property {number | null} moment the one that is shown; `null` is the present
 * @property {Fairness | string | null} fairness what the check has found; "checking", or why it could not be made
 * @property {number} tick counts half seconds while something on the page depends on the time */

/** Before the first frame.
 * @type {TableState} */
export const AT_FIRST = {
  connection: { state: "connecting", text: "", code: 0 },
  status: null, seat: null, stream: NOTHING_YET, isJump: true, names: {}, here: [], goneSince: {}, cameAt: Date.now(),
  raised: null, sent: null, refusal: "", refused: null, queued: null, seenHints: [], invitation: null, problem: "", layout: null, game: null, skew: 0, tick: 0, moments: [], moment: null, fairness: null,
};

/** Whether the updates up to this one have told the end of the match.
 * @param {Readonly<Stream>} stream */
export function hasEnded({ told }) {
  return told.at(-1)?.message.type === "MatchEnded";
}
