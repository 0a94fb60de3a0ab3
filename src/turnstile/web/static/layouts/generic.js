/** The layout of a game that has none: its view as a list of facts, its moves as buttons. Any game plays with it at once. */

/** @import {Layout, Scene} from "../table/scene.js" */
/** @import {Tagged} from "../lib/fold.js" */
import { h } from "../lib/dom.js";
import { capital, inWords, moveWords, valueWords } from "../lib/words.js";
import { choice } from "../table/choice.js";

const SECRETS = new Set(["commitment", "seed"]);
const MOST_BUTTONS = 60;

/** @type {Layout} */
const generic = {
  table: (scene) => (scene.view === null ? null : h("div", { class: "generic", tabindex: 0, role: "group", "aria-label": "What you see" }, facts(scene.view, scene))),

  hand(scene) {
    const groups = Map.groupBy ? Map.groupBy(scene.actions, (move) => move.type) : group(scene.actions);
    return [...groups].map(([type, moves]) =>
      h("fieldset", { key: type, class: "moves" },
        groups.size > 1 || moves.length > 1 ? h("legend", null, capital(inWords(type))) : null,
        moves.slice(0, MOST_BUTTONS).map((move) => {
          const words = moves.length > 1 ? shortWords(move, scene) : moveWords(move, scene);
          return choice(scene, move, { key: JSON.stringify(move), class: "button", isDirect: true }, words);
        }),
      ),
    );
  },

  ask(scene) {
    if (scene.actions.length) return "Your turn: choose a move.";
    return null;
  },

  hints: (scene) => (scene.actions.length ? [{ name: "generic", text: "This game has no table of its own yet: you see its state, and a button for every move that you may make." }] : []),

  toMove: (scene) => Object.keys(scene.status.clocks),
  name: moveWords,
  text: (scene) => (scene.view === null ? [] : Object.entries(scene.view).filter(([name]) => !SECRETS.has(name)).map(([name, value]) => `${capital(inWords(name))}: ${valueWords(value, scene)}.`)),
};

export default generic;

/** @param {readonly Tagged[]} moves */
function group(moves) {
  /** @type {Map<string, Tagged[]>} */
  const found = new Map();
  for (const move of moves) found.set(move.type, [...(found.get(move.type) ?? []), move]);
  return found;
}

/** A move beside others of its kind: only what tells it from them.
 * @param {Tagged} move @param {Scene} scene */
function shortWords(move, scene) {
  const { type, player, ...fields } = move;
  const entries = Object.entries(fields);
  if (entries.length === 1) return `${typeof entries[0][1] === "string" || typeof entries[0][1] === "object" ? "" : `${inWords(entries[0][0])} `}${valueWords(entries[0][1], scene)}`;
  return entries.map(([name, value]) => `${inWords(name)} ${valueWords(value, scene)}`).join(", ") || capital(inWords(type));
}

/** An object as a list of names and values; long lists show their newest items.
 * @param {any} value @param {Scene} scene
 * @returns {import("../../types/dom").Child} */
function facts(value, scene) {
  const entries = Object.entries(value).filter(([name, each]) => !SECRETS.has(name) && each !== null);
  return h("dl", { class: "facts" }, entries.map(([name, each]) => h("div", null, h("dt", null, capital(valueWords(name, scene) === name ? inWords(name) : valueWords(name, scene))), h("dd", null, fact(each, scene)))));
}

/** @param {any} value @param {Scene} scene
 * @returns {import("../../types/dom").Child} */
function fact(value, scene) {
  if (Array.isArray(value) && value.length && value.every((each) => typeof each === "object" && each !== null))
    return h("ol", null, value.slice(-5).map((each) => h("li", null, valueWords(each, scene))));
  if (typeof value === "object" && value !== null && !Array.isArray(value) && Object.values(value).some((each) => typeof each === "object")) return facts(value, scene);
  return valueWords(value, scene);
}
