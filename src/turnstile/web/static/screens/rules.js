/** `<rules-screen game="...">`, and the rules of a game as elements: paragraphs, lists, bold, emphasis and code of Markdown. */

/** @import {GamePage} from "../../types/protocol" */
/** @import {Child} from "../../types/dom" */
import { h, morph } from "../lib/dom.js";
import { Problem } from "../lib/http.js";
import { gamePage } from "../table/table.js";
import { nothing } from "./nothing.js";

export class RulesScreen extends HTMLElement {
  async connectedCallback() {
    try {
      this.#show(await gamePage(this.getAttribute("game") ?? ""));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      morph(this, nothing(fault.message));
    }
  }

  /** @param {GamePage} game */
  #show(game) {
    document.title = `${game.title}: the rules · Turnstile`;
    morph(this, h("article", { class: "page prose" }, h("h1", null, game.title), rulesOf(game), h("p", null, h("a", { class: "button", href: `/new?game=${encodeURIComponent(game.name)}` }, "Make a table"))));
  }
}

/** @param {GamePage} game */
export function rulesOf(game) {
  return h("div", { class: "prose" }, game.rules.trim().split(/\n\s*\n/).map(block));
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
