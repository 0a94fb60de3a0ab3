/** What a layout draws from: everything that the page knows about a match, and what the player may do about it. */

/** @import {TableStatus} from "../../types/protocol" */
/** @import {Tagged} from "../lib/fold.js" */
/** @import {Children} from "../../types/dom" */
import generic from "../layouts/generic.js";

/** @template [View=any] the type of the game's view
 * @typedef {object} Scene
 * @property {View} view what the player sees; `null` before the match
 * @property {readonly Tagged[]} actions the moves that the player may make now
 * @property {readonly Tagged[]} messages what the newest update told
 * @property {string | null} seat the player's id; `null` for a spectator
 * @property {TableStatus} status seats, settings, clocks, result
 * @property {(player: string) => string} name how a player is called: "you", or its name
 * @property {string | null} raised what the player has picked up, but not played: the key of a choice
 * @property {Tagged | null} sent a move without an answer yet
 * @property {Tagged | null} refused the move that was refused last, until the player does something else
 * @property {string | null} queued what the player wants to play on its next turn, as `ahead` calls it
 * @property {(key: string | null) => void} raise
 * @property {(name: string | null) => void} queue
 * @property {(move: Tagged) => void} act make a move
 * @property {() => void} goOn acknowledge the newest update now, if it lingers
 * @property {Memory} memory what the layout wants to keep between two drawings; it is never sent
 * @property {any} schemas the JSON Schemas of the game */
/** @typedef {{[name: string]: any}} Memory */
/** @typedef {{readonly name: string, readonly text: string}} Hint a sentence for a player's first match; the name is without spaces */

/** How a game draws itself: the default export of `layouts/GAME.js`. Every function is pure: it gets a scene and returns
 * elements (made with `h`) or words, and is called again whenever something has changed. Elements with a `key` keep their
 * identity: they stay on the page, and slide to their new place. Leave out what the generic layout does well enough.
 * @template [View=any] the type of the game's view: `GameView` of `types/GAME.d.ts`
 * @typedef {object} Layout
 * @property {(scene: Scene<View>) => Children} [table] the middle of the table
 * @property {(scene: Scene<View>) => Children} [hand] the player's own cards and choices, in reach of a thumb
 * @property {(scene: Scene<View>, player: string) => Children} [seat] what stands below the name of a player: score, cards
 * @property {(scene: Scene<View>) => Children} [sheet] the score sheet, beside the table
 * @property {(scene: Scene<View>) => string | null} [ask] whose turn it is, and to do what, in one sentence
 * @property {(scene: Scene<View>) => readonly string[]} [toMove] the players whom the match waits for
 * @property {(message: Tagged, scene: Scene<View>) => string | null | undefined} [words] a message as a sentence; "" tells nothing, `null` is told by the generic words
 * @property {(scene: Scene<View>) => number | "step" | "look" | null} [linger] how long the newest update stays on the table while the player
 *   has nothing to do: "step", as long as a move takes to be seen; "look", as long as a completed trick; both are short with reduced motion.
 *   Milliseconds hold in any case. `null`: a step, if anything was told
 * @property {(move: Tagged, scene: Scene<View>) => string | null} [ahead] the name of a move that may be queued before the turn, and that plays itself
 *   if it is the only one; `null` for all others
 * @property {(scene: Scene<View>) => readonly Hint[]} [hints] what a newcomer should know at this moment, the most important first
 * @property {() => Children} [pictures] for the rules: figures of cards
 * @property {readonly (readonly [key: string, what: string])[]} [keys] the keys of this game, for the rules
 * @property {(move: Tagged, scene: Scene<View>) => string} [name] a move, as a button calls it
 * @property {(scene: Scene<View>) => readonly string[]} [text] the same table in sentences, for screen readers */

/** @type {Map<string, Promise<Layout>>} */
const loaded = new Map();

/** The layout of a game; of a game without one, the generic layout.
 * @param {string} game
 * @returns {Promise<Layout>} */
export async function layoutOf(game) {
  const names = document.querySelector("meta[name=layouts]")?.getAttribute("content")?.split(" ") ?? [];
  if (!names.includes(game) || game === "generic") return generic;
  const known = loaded.get(game) ?? import(`../layouts/${game}.js`).then((module) => ({ ...generic, ...module.default }));
  loaded.set(game, known);
  known.catch(() => loaded.delete(game)); // it may be there the next time
  return known;
}
