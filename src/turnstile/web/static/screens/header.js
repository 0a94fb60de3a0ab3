/** `<site-header>`: the way home, the player's name, and the rules in a dialog. */

/** @import {GamePage} from "../../types/protocol" */
import { h, morph } from "../lib/dom.js";
import { onPlayer, player } from "../lib/me.js";
import { layoutOf } from "../table/scene.js";
import { keysOf, rulesOf } from "./rules.js";

export class SiteHeader extends HTMLElement {
  connectedCallback() {
    const bar = h("header", { class: "site" });
    const dialog = h("dialog", { class: "rules", "aria-label": "Rules" });
    dialog.onclick = (event) => event.target === dialog && dialog.close();
    this.append(bar, dialog);
    const show = () => morph(bar, h("a", { class: "home", href: "/" }, mark(), h("span", { class: "word" }, "Turnstile")), h("nav", { "aria-label": "Site" }, h("a", { href: "/new" }, "New table"), h("a", { href: "/account" }, player()?.name ?? "Your name")));
    show();
    onPlayer(show);
    this.addEventListener("rules", (event) => void this.#showRules(dialog, /** @type {CustomEvent<GamePage | null>} */ (event).detail));
  }

  /** @param {HTMLDialogElement} dialog @param {GamePage | null} game */
  async #showRules(dialog, game) {
    if (!game || dialog.open) return;
    const layout = await layoutOf(game.name);
    const close = h("button", { type: "button", class: "button", onclick: () => dialog.close() }, "Close");
    morph(dialog, h("h2", { tabindex: -1, autofocus: true }, `${game.title}: the rules`), rulesOf(game, layout), keysOf(layout, "h3"), h("p", null, close));
    dialog.showModal();
  }
}

function mark() {
  return h("span", { class: "mark", "aria-hidden": "true" }, h("span"), h("span"));
}
