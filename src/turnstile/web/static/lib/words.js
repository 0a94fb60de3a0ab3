/** Sentences for what happens at a table. A layout has its own for the messages of its game; these are for all others. */

/** @import {Tagged} from "./fold.js" */
/** @import {Scene} from "../table/scene.js" */

/** "BetPlaced", "PLACE_BET" and "placeBet" as words: "bet placed", "place bet".
 * @param {string} name */
export function inWords(name) {
  return name
    .replace(/[_-]+/g, " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .trim();
}

/** @param {string} text */
export function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "a, b and c"
 * @param {readonly string[]} words */
export function list(words) {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** "1 point", "3 points"
 * @param {number} number @param {string} word */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}

/** @param {Tagged} message @param {Scene} scene */
export function genericWords(message, scene) {
  const { type, ...fields } = message;
  const shown = Object.entries(fields)
    .filter(([name, value]) => value !== null && name !== "commitment" && name !== "seed" && isShort(value))
    .map(([name, value]) => (isPlayer(value, scene) ? scene.name(value) : `${inWords(name)} ${valueWords(value, scene)}`));
  return `${capital(inWords(type))}${shown.length ? `: ${shown.join(", ")}` : ""}.`;
}

/** A move, as the words on a button.
 * @param {Tagged} move @param {Scene} scene */
export function moveWords(move, scene) {
  const { type, player, ...fields } = move;
  const shown = Object.entries(fields).map(([name, value]) => {
    const words = valueWords(value, scene);
    return typeof value === "string" && !isPlayer(value, scene) && Object.keys(fields).length === 1 ? words : `${inWords(name)} ${words}`;
  });
  return capital(inWords(type)) + (shown.length ? `: ${shown.join(", ")}` : "");
}

/** Any value of a view, a message or a move, in words.
 * @param {any} value @param {Scene} scene
 * @returns {string} */
export function valueWords(value, scene) {
  if (value === null || value === undefined) return "none";
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.length ? value.map((each) => valueWords(each, scene)).join(", ") : "none";
  if (typeof value === "object")
    return Object.entries(value).map(([name, each]) => `${isPlayer(name, scene) ? scene.name(name) : inWords(name)} ${valueWords(each, scene)}`).join(", ");
  if (isPlayer(value, scene)) return scene.name(value);
  return typeof value === "string" && /^[A-Z0-9]+(_[A-Z0-9]+)+$|^[A-Z][a-z]+([A-Z][a-z]+)+$/.test(value) ? inWords(value) : String(value);
}

/** @param {any} value */
function isShort(value) {
  return JSON.stringify(value).length < 120;
}

/** @param {unknown} value @param {Scene} scene */
function isPlayer(value, scene) {
  return typeof value === "string" && scene.status.seats.some((seat) => seat.player === value);
}

/** "8 s", "2:05", "3 h 20 min", "2 days"
 * @param {number} ms */
export function timeLeft(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const [minutes, hours, days] = [60, 3600, 86_400].map((each) => Math.floor(seconds / each));
  if (seconds < 60) return `${seconds} s`;
  if (hours === 0) return `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  return days === 0 ? `${hours} h ${minutes % 60} min` : `${count(days, "day")}${hours % 24 ? ` ${hours % 24} h` : ""}`;
}
