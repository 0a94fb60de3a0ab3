/** `<account-screen>`: the player's name, other devices, and how the page plays. */

/** @import {DeviceCode} from "../../types/protocol" */
/** @import {Setting} from "../lib/settings.js" */
import { h, morph } from "../lib/dom.js";
import { call, Problem } from "../lib/http.js";
import { deletePlayer, ensurePlayer, forget, logOutEverywhere, onPlayer, player, rename, useCode } from "../lib/me.js";
import { qrCode } from "../lib/qr.js";
import { isOn, switchTo } from "../lib/settings.js";
import { sound } from "../lib/sound.js";
import { Store } from "../lib/store.js";

/** @typedef {{name: string | null, code: DeviceCode | null, said: string, problem: string, asked: "" | "forget" | "delete"}} AccountState */

export class AccountScreen extends HTMLElement {
  /** @type {Store<AccountState>} */
  #store = new Store(/** @type {AccountState} */ ({ name: player()?.name ?? null, code: null, said: "", problem: sessionStorage.getItem("turnstile.problem") ?? "", asked: "" }));
  #stop = () => {};

  connectedCallback() {
    document.title = "You · Turnstile";
    sessionStorage.removeItem("turnstile.problem");
    const page = h("div", { class: "page form" });
    this.append(page);
    this.#store.watch((state) => state, (state) => morph(page, this.#page(state)));
    this.#stop = onPlayer(() => this.#store.set({ name: player()?.name ?? null }));
  }

  disconnectedCallback() {
    this.#stop();
  }

  /** @param {() => Promise<string>} action says what was done */
  async #try(action) {
    this.#store.set({ said: "", problem: "" });
    try {
      this.#store.set({ said: await action() });
    } catch (fault) {
      this.#store.set({ problem: fault instanceof Problem ? fault.message : "That did not work." });
    }
  }

  /** @param {string} field @param {(value: string) => Promise<string>} action */
  #submit(field, action) {
    return (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      const value = String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get(field) ?? "");
      void this.#try(() => action(value));
    };
  }

  /** A button that asks once more before it does something.
   * @param {"forget" | "delete"} what @param {string} asked @param {string} label @param {string} again @param {() => Promise<string>} action */
  #twice(what, asked, label, again, action) {
    if (asked !== what) return h("button", { type: "button", class: "quiet", onclick: () => this.#store.set({ asked: what }) }, label);
    return h("button", { type: "button", class: "button danger", onclick: () => (this.#store.set({ asked: "" }), this.#try(action)) }, again);
  }

  /** @param {AccountState} state */
  #page({ name, code, said, problem, asked }) {
    return [
      h("h1", null, name ?? "You"),
      said ? h("p", { class: "said", role: "status" }, said) : null,
      problem ? h("p", { class: "refusal", role: "alert" }, problem) : null,
      h("form", { class: "line-form", onsubmit: this.#submit("name", async (value) => (await rename(value), "Your name is changed.")) }, h("label", { class: "field" }, h("span", null, "Your name"), h("input", { name: "name", value: name ?? "", maxlength: 32, required: true, autocomplete: "nickname" })), h("button", { class: "button" }, "Save")),
      h("section", null, h("h2", null, "Another device"),
        code ? codeOf(code) : h("p", null, h("button", { type: "button", class: "button", onclick: () => this.#try(async () => (await ensurePlayer(), this.#store.set({ code: await call("POST", "/api/me/codes") }), "")) }, "Show a code for another device")),
        h("form", { class: "line-form", onsubmit: this.#submit("code", async (value) => `Welcome back, ${(await useCode(value)).name}.`) }, h("label", { class: "field" }, h("span", null, "Code from another device"), h("input", { name: "code", required: true, autocomplete: "one-time-code", autocapitalize: "characters" })), h("button", { class: "button" }, "Use it")),
      ),
      h("section", null, h("h2", null, "Playing"),
        setting("one-tap", "Play with one tap", "Otherwise the first tap raises a card, and the second plays it."),
        setting("forced", "A forced card plays itself", "After a moment, if it is the only card that you may play."),
        setting("sound", "Sound", "When a card is played, when it is your turn, and at the end.", () => sound("turn")),
        setting("panel", "The author's panel", "At a table: the diagram of the game, and what the server sends you."),
      ),
      name === null ? null : h("section", null, h("h2", null, "Log out"), h("div", { class: "row" },
        h("button", { type: "button", class: "button", onclick: () => this.#try(async () => (await logOutEverywhere(), "All other devices are logged out.")) }, "Log out all other devices"),
        this.#twice("forget", asked, "Forget me on this device", "Really forget me here", async () => (forget(), "This device has forgotten you.")),
      )),
      name === null ? null : h("section", null, h("h2", null, "Delete your player"),
        h("p", null, "You resign in every match that is running, and your name is deleted. Results stay, without your name. This cannot be undone."),
        h("div", { class: "row" }, this.#twice("delete", asked, "Delete my player", "Really delete my player", async () => (await deletePlayer(), "Your player is deleted."))),
      ),
    ];
  }
}

/** A switch that is remembered on this device.
 * @param {Setting} name @param {string} label @param {string} about @param {() => void} [then] */
function setting(name, label, about, then) {
  const turn = (/** @type {Event} */ event) => (switchTo(name, /** @type {HTMLInputElement} */ (event.currentTarget).checked), then?.());
  return h("label", { class: "check", key: name }, h("input", { type: "checkbox", checked: isOn(name), onchange: turn }), h("span", null, label, h("small", null, about)));
}

/** @param {DeviceCode} code */
function codeOf({ code, link, qr, expires }) {
  const until = new Date(expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return h("div", { class: "device-code" }, qrCode(qr), h("div", null, h("p", null, "Scan this, open the link, or type the code there. It works once, until ", until, "."), h("p", { class: "code" }, code.replace(/(....)(?=.)/g, "$1 ")), h("p", null, h("a", { href: link, rel: "noreferrer", target: "_blank" }, "Link for the other device"))));
}
