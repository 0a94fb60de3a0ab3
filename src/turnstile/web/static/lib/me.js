/** Who plays on this device: the player's id, name and secret token, in local storage only. */

/** @import {PlayerWithToken} from "../../types/protocol" */
import { call, Problem, useToken, whenTokenIsVoid } from "./http.js";

const KEY = "turnstile.player";
const FIRST = "Quiet Bold Early Gentle Lucky Merry Nimble Patient Silver Swift Velvet Amber Clever Misty Sunny Brave".split(" ");
const SECOND = "Heron Fox Otter Wren Badger Lynx Finch Hare Marten Robin Stoat Swan Tern Vole Magpie Owl".split(" ");

/** @type {PlayerWithToken | null} */
let me = read();
/** @type {Set<() => void>} */
const listeners = new Set();
useToken(me?.token ?? null);
whenTokenIsVoid(forget);
if (typeof addEventListener === "function") addEventListener("storage", (event) => event.key === KEY && become(read()));

/** The player of this device, if there is one. */
export function player() {
  return me;
}

export function token() {
  return me?.token ?? null;
}

/** The player of this device; a new one, with a name made up here, if there is none.
 * @returns {Promise<PlayerWithToken>} */
export async function ensurePlayer() {
  return me ?? remember(await call("POST", "/api/players", { name: newName() }));
}

/** Do something as the player of this device. If the server does not know the player any more, a new one does it.
 * @template T @param {() => Promise<T>} action
 * @returns {Promise<T>} */
export async function asPlayer(action) {
  await ensurePlayer();
  try {
    return await action();
  } catch (fault) {
    if (!(fault instanceof Problem) || fault.code !== "BadToken") throw fault;
    await ensurePlayer();
    return action();
  }
}

/** @param {string} code a code from another device */
export async function useCode(code) {
  return remember(await call("POST", "/api/codes", { code }));
}

/** @param {string} name */
export async function rename(name) {
  const { token } = await ensurePlayer();
  return remember({ ...(await call("PATCH", "/api/me", { name })), token });
}

/** Make the tokens of all other devices void. */
export async function logOutEverywhere() {
  const known = await ensurePlayer();
  return remember({ ...known, ...(await call("POST", "/api/me/logout-everywhere")) });
}

/** Delete the player: on the server, and so on all devices. */
export async function deletePlayer() {
  await call("DELETE", "/api/me");
  forget();
}

/** Forget the player on this device. */
export function forget() {
  localStorage.removeItem(KEY);
  become(null);
}

/** @param {() => void} listener @returns {() => void} stops it */
export function onPlayer(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** @param {PlayerWithToken} found */
function remember(found) {
  localStorage.setItem(KEY, JSON.stringify(found));
  become(found);
  return found;
}

/** @param {PlayerWithToken | null} found */
function become(found) {
  me = found;
  useToken(found?.token ?? null);
  for (const listener of listeners) listener();
}

/** @returns {PlayerWithToken | null} */
function read() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "null");
    return typeof found?.token === "string" ? found : null;
  } catch {
    return null;
  }
}

function newName() {
  const pick = (/** @type {string[]} */ words) => words[Math.floor(Math.random() * words.length)];
  return `${pick(FIRST)} ${pick(SECOND)}`;
}
