/** What the page keeps for an author of games: the frames of a table, and the seats that one person
 * holds. The panel itself is fetched when it is wanted. */

/** @import {HeldSeat} from "../../types/protocol" */
/** @import {ServerFrame} from "./wire.js" */

const COMPANIONS = "turnstile.companions";
const SEAT = "turnstile.seat.";
const MOST_FRAMES = 200;
const MOST_COMPANIONS = 32;

/** Whether the server was started with `--dev`, for this machine alone. */
export function isDev() {
  return document.querySelector("meta[name=dev]")?.getAttribute("content") === "yes";
}

// frames

let framesAt = "";
/** @type {ServerFrame[]} */
let frames = [];
/** @type {Set<() => void>} */
const listeners = new Set();
let isTelling = false;

/** Keep a frame that came from a table; the newest ones of one table are kept.
 * @param {string} table @param {ServerFrame} frame */
export function keepFrame(table, frame) {
  const isFirst = frame.type === "welcome" && frame.after === 0;
  if (table !== framesAt || isFirst) [framesAt, frames] = [table, []];
  frames = [...frames.slice(1 - MOST_FRAMES), frame];
  if (!isTelling) queueMicrotask(tell); // when the table itself has taken it
  isTelling = true;
}

function tell() {
  isTelling = false;
  for (const listener of listeners) listener();
}

/** @param {string} table @returns {readonly ServerFrame[]} */
export function framesOf(table) {
  return table === framesAt ? frames : [];
}

/** @param {() => void} listener @returns {() => void} stops it */
export function onFrames(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

// seats

/** The players at further seats that belong to the player of this device.
 * @returns {readonly HeldSeat[]} */
export function companions() {
  try {
    return JSON.parse(localStorage.getItem(COMPANIONS) ?? "[]");
  } catch {
    return [];
  }
}

/** @param {readonly HeldSeat[]} seats */
export function keepCompanions(seats) {
  const others = companions().filter(({ player }) => !seats.some((seat) => seat.player === player));
  localStorage.setItem(COMPANIONS, JSON.stringify([...others, ...seats].slice(-MOST_COMPANIONS)));
}

/** The companion whose seat this tab shows; `null` is the player's own seat.
 * @param {string} table @returns {HeldSeat | null} */
export function companionAt(table) {
  if (!isDev()) return null;
  const chosen = sessionStorage.getItem(SEAT + table);
  return companions().find(({ player }) => player === chosen) ?? null;
}

/** @param {string} table @param {string | null} player `null` is the player's own seat */
export function takeSeat(table, player) {
  if (player === null) sessionStorage.removeItem(SEAT + table);
  else sessionStorage.setItem(SEAT + table, player);
}
