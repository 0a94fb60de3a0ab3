/** A match that is over, step by step, as this seat saw it: moments are the updates of its stream. */

/** @import {Stream} from "./fold.js" */
/** @import {TableState} from "../table/state.js" */

/** The moments at which something on the table has changed, or was told.
 * @param {readonly Readonly<Stream>[]} streams the stream after each of its updates
 * @returns {readonly Readonly<Stream>[]} */
export function momentsOf(streams) {
  return Object.freeze(streams.filter((stream, index) => stream.view !== null && (stream.messages.length > 0 || stream.view !== streams[index - 1]?.view)));
}

/** The moment after some steps: one step back from the present enters the replay, and one step past its end leaves it.
 * @param {number | null} moment `null` is the present
 * @param {number} steps
 * @param {number} count how many moments there are */
export function stepBy(moment, steps, count) {
  const next = (moment ?? count - 1) + steps;
  if (next >= count || count === 0) return null;
  return Math.max(0, next);
}

/** The table as it was at the moment of the replay. At the present, it is the table itself.
 * @param {TableState} state
 * @returns {TableState} */
export function atMoment(state) {
  const { moment, moments, status } = state;
  if (moment === null || !status) return state;
  const stream = Object.freeze({ ...moments[moment], actions: [] });
  return { ...state, stream, status: { ...status, phase: "Playing", result: null, clocks: {}, left: {} }, raised: null, sent: null };
}
