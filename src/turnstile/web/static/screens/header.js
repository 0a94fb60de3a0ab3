/** `<site-header>`: the way home, the player's name, and the rules in a dialog. */

/** @import {GamePage} from "../../types/protocol" */
import { h, morph } from "../lib/dom.js";
import { onPlayer, player } from "../lib/me.js";
import { rulesOf } from "./rules.js";

export class SiteHeader extends HTMLElement {
  connectedCallback() {
    const bar = h("header", { class: "site" });
    const dialog = h("dialog", { class: "rules", "aria-label": "Rules" });
    dialog.onclick = (event) => event.target === dialog && dialog.close();
    this.append(bar, dialog);
    const show = () => morph(bar, h("a", { class: "home", href: "/" }, mark(), h("span", { class: "word" }, "Turnstile")), h("nav", { "aria-label": "Site" }, h("a", { href: "/new" }, "New table"), h("a", { href: "/account" }, player()?.name ?? "Your name")));
    show();
    onPlayer(show);
    this.addEventListener("rules", (event) => {
      const game = /** @type {CustomEvent<GamePage | null>} */ (event).detail;
      if (!game) return;
      morph(dialog, h("h2", { tabindex: -1, autofocus: true }, `${game.title}: the rules`), rulesOf(game), keys(), h("p", null, h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close")));
      dialog.showModal();
    });
  }
}

function keys() {
  const lines = [["1 to 9", "pick up a choice; the same key again plays it"], ["Esc", "put it back"], ["?", "show this"]];
  return h("section", null, h("h3", null, "Keys"), h("dl", { class: "keys" }, lines.map(([key, what]) => h("div", null, h("dt", null, h("kbd", null, key)), h("dd", null, what)))));
}

function mark() {
  return h("span", { class: "mark", "aria-hidden": "true" }, h("span"), h("span"));
}
