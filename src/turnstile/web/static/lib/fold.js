/** The stream of a seat as one frozen value: what was told so far, what the player sees now, what it may do. */

/** @import {SeatUpdate} from "../../types/protocol" */
/** @typedef {{readonly [key: string]: any}} Json an object that came over the wire */
/** @typedef {{readonly type: string, readonly [field: string]: any}} Tagged a message of a game, or a move */
/** @typedef {{readonly seq: number, readonly message: Tagged}} Told a message, and the update that brought it */
/** @typedef {object} Stream
 * @property {number} seq the newest update
 * @property {any} view what the player sees
 * @property {readonly Tagged[]} actions the moves that the player may make
 * @property {readonly Tagged[]} messages the messages of the newest update
 * @property {readonly Told[]} told all messages since the start
 * @property {number} first the first update that is known */

/** @type {Readonly<Stream>} */
export const NOTHING_YET = Object.freeze({ seq: 0, view: null, actions: [], messages: [], told: [], first: 0 });

/** The stream after one more update.
 * @param {Readonly<Stream>} stream
 * @param {SeatUpdate} update
 * @returns {Readonly<Stream>} */
export function fold(stream, update) {
  const messages = /** @type {Tagged[]} */ (freeze(update.messages ?? []));
  const view = "changed" in update ? applyChange(stream.view, /** @type {Json} */ (update.changed)) : freeze(update.view);
  const told = messages.map((message) => Object.freeze({ seq: update.seq, message }));
  return Object.freeze({
    seq: update.seq,
    view,
    messages,
    actions: /** @type {Tagged[]} */ (freeze(update.actions ?? [])),
    told: told.length ? Object.freeze([...stream.told, ...told]) : stream.told,
    first: stream.first || update.seq,
  });
}

/** The new value of a view, or of a part of it: see docs/table.md, "What has changed".
 * @param {any} value
 * @param {Json} change
 * @returns {any} */
export function applyChange(value, change) {
  if ("set" in change) return freeze(change.set);
  if (Object.keys(change).length === 0) return value;
  const copy = Array.isArray(value) ? [...value] : { ...value };
  for (const [key, inner] of Object.entries(change.in ?? {})) {
    if ("gone" in inner) delete copy[key];
    else put(copy, key, applyChange(Object.hasOwn(copy, key) ? copy[key] : undefined, inner));
  }
  return Object.freeze("add" in change ? [...copy, ...freeze(change.add)] : copy);
}

/** Set a field, even one that is called `__proto__`.
 * @param {any} target @param {string} key @param {unknown} value */
function put(target, key, value) {
  Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
}

/** @template T @param {T} value @returns {T} */
function freeze(value) {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.values(value).forEach(freeze);
  return Object.freeze(value);
}
