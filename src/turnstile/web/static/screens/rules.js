/** `<rules-screen game="...">`, and the rules of a game as elements: pictures, text (paragraphs, lists, bold, emphasis and code of Markdown), keys. */

/** @import {GamePage} from "../../types/protocol" */
/** @import {Child} from "../../types/dom" */
/** @import {Layout} from "../table/scene.js" */
import { h, morph } from "../lib/dom.js";
import { Problem } from "../lib/http.js";
import { gamePage } from "../table/games.js";
import { layoutOf } from "../table/scene.js";
import { nothing } from "./nothing.js";

/** The keys of every game. */
const KEYS = /** @type {const} */ ([
  ["1 to 9", "pick up a choice; the same key again plays it"],
  ["Enter", "play what is picked up"],
  ["Esc", "put it back"],
  ["Space", "show the newest move at once"],
  ["M", "sound on or off"],
  ["← →", "after the match: step through the replay"],
  ["?", "show this"],
]);

export class RulesScreen extends HTMLElement {
  async connectedCallback() {
    const name = this.getAttribute("game") ?? "";
    try {
      const [game, layout] = await Promise.all([gamePage(name), layoutOf(name)]);
      document.title = `${game.title}: the rules · Turnstile`;
      morph(this, h("article", { class: "page prose" }, h("h1", null, game.title), rulesOf(game, layout), keysOf(layout, "h2"), h("p", null, h("a", { class: "button", href: `/new?game=${encodeURIComponent(game.name)}` }, "Make a table"))));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      morph(this, nothing(fault.message));
    }
  }
}

/** @param {GamePage} game @param {Layout} layout */
export function rulesOf(game, layout) {
  return h("div", { class: "prose" }, layout.pictures ? h("div", { class: "pictures" }, layout.pictures()) : null, game.rules.trim().split(/\n\s*\n/).map(block));
}

/** The keys of the page, and those of the game's layout.
 * @param {Layout} layout @param {"h2" | "h3"} heading */
export function keysOf(layout, heading) {
  const own = layout.keys ?? [];
  const lines = [...own, ...KEYS.filter(([key]) => !own.some(([each]) => each === key))];
  return h("section", { class: "prose" }, h(heading, null, "Keys"), h("dl", { class: "keys" }, lines.map(([key, what]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, what)))));
}

/** @param {string} text */
function block(text) {
  const lines = text.split("\n");
  if (/^#+ /.test(text)) return h("h3", null, spans(text.replace(/^#+ /, "")));
  if (!/^[-*] /.test(text)) return h("p", null, spans(lines.join(" ")));
  /** @type {string[]} */
  const items = [];
  for (const line of lines) {
    if (/^[-*] /.test(line)) items.push(line.slice(2));
    else items[items.length - 1] += ` ${line.trim()}`;
  }
  return h("ul", null, items.map((item) => h("li", null, spans(item))));
}

/** @param {string} text @returns {Child[]} */
function spans(text) {
  return text.split(/(\*\*[^*]+\*\*|\*[^*]+\*|`[^`]+`)/).map((part) => {
    if (part.startsWith("**")) return h("strong", null, part.slice(2, -2));
    if (part.startsWith("*") && part.length > 2) return h("em", null, part.slice(1, -1));
    return part.startsWith("`") ? h("code", null, part.slice(1, -1)) : part;
  });
}
