/** `<nothing-screen>`: an address without a screen, and what other screens show when what they are asked for does not exist. */

import { h, morph } from "../lib/dom.js";

export class NothingScreen extends HTMLElement {
  connectedCallback() {
    document.title = "Nothing here · Turnstile";
    morph(this, nothing("There is nothing at this address."));
  }
}

/** @param {string} text why there is nothing */
export function nothing(text) {
  return h("div", { class: "page nothing" }, h("span", { class: "empty", "aria-hidden": "true" }), h("h1", null, "Nothing here"), h("p", null, text), h("p", null, h("a", { class: "button primary", href: "/" }, "To all tables")));
}
