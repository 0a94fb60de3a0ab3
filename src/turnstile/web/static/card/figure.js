/** A figure of the rules: cards, and what they mean. */

/** @import {Child} from "../../types/dom" */
import { h } from "../lib/dom.js";
import { card } from "./card.js";

/** @param {string} deck @param {readonly string[]} faces @param {string} caption
 * @param {{between?: string, winner?: string}} [options] `between`: a word between the cards; `winner`: the face that wins */
export function figure(deck, faces, caption, { between, winner } = {}) {
  const shown = faces.flatMap(/** @returns {Child[]} */ (face, index) => [
    index && between ? h("span", { class: "between" }, between) : null,
    h("span", { class: "pictured", "data-won": face === winner }, card({ deck, face }), face === winner ? h("span", { class: "sign", role: "img", "aria-label": "wins" }, "★") : null),
  ]);
  return h("figure", null, h("div", { class: "pictured-cards" }, shown), h("figcaption", null, caption));
}
