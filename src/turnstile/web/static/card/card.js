/** `<play-card deck="french" face="Q:hearts">`: a card, drawn as SVG. Without a face it lies face down. When its face
 * changes, it is turned over. Decks and faces: `faces.js`. */

import { h, s } from "../lib/dom.js";
import { turnOver } from "../lib/motion.js";
import { DECKS, drawBack } from "./faces.js";

export class PlayCard extends HTMLElement {
  static observedAttributes = ["face", "deck", "label"];
  #shown = /** @type {string | null | undefined} */ (undefined);

  connectedCallback() {
    if (this.#shown === undefined) this.#draw();
  }

  attributeChangedCallback() {
    if (this.#shown === undefined) return;
    if (this.getAttribute("face") === this.#shown) return this.#draw();
    const inner = /** @type {HTMLElement} */ (this.firstElementChild);
    turnOver(inner, () => this.#draw());
  }

  #draw() {
    const face = this.getAttribute("face");
    const deck = DECKS[this.getAttribute("deck") ?? "plain"] ?? DECKS.plain;
    const label = this.getAttribute("label") ?? (face === null ? "card, face down" : deck.name(face));
    const paper = s("rect", { x: 1, y: 1, width: 98, height: 138, rx: 9, class: "paper" });
    const picture = s("svg", { viewBox: "0 0 100 140", role: "img", "aria-label": label }, paper, face === null ? drawBack() : deck.draw(face));
    this.#shown = face;
    if (this.firstElementChild) this.firstElementChild.replaceChildren(picture);
    else this.append(h("span", { class: "inner" }, picture));
  }
}

/** A card as an element. `key`: its identity, for motion; `from`: the key of the element that it comes from.
 * @param {{deck: string, face?: string | null, key?: string, from?: string, label?: string, class?: string}} card */
export function card({ deck, face = null, key, from, label, class: kind }) {
  return h("play-card", { deck, face, key, "data-from": from, label, class: kind });
}

/** How a card is read aloud.
 * @param {string} deck @param {string} face */
export function cardName(deck, face) {
  return (DECKS[deck] ?? DECKS.plain).name(face);
}
