/** The line above a table: the game, the connection, sound, rules, and the way to give up. */

/** @import {TableState} from "./state.js" */
/** @import {Does} from "./parts.js" */
import { h, s } from "../lib/dom.js";
import { isOn, switchTo } from "../lib/settings.js";
import { sound } from "../lib/sound.js";
import { connectionBadge } from "./connection.js";

/** @param {TableState} state @param {Pick<Does, "command">} does */
export function tableHead({ status, game, connection, seat }, { command }) {
  const canResign = seat !== null && status && ["Playing", "Gathering", "Settling"].includes(status.phase);
  const showRules = () => document.querySelector("site-header")?.dispatchEvent(new CustomEvent("rules", { detail: game }));
  return [
    h("h1", null, game?.title ?? "Table"),
    seat === null && status && status.phase !== "Seating" ? h("span", { class: "badge" }, "You are watching") : null,
    connectionBadge(connection),
    h("span", { class: "grow" }),
    soundSwitch(),
    game ? h("button", { type: "button", class: "quiet", key: "rules", onclick: showRules }, "Rules", h("kbd", null, "?")) : null,
    canResign ? h("details", { class: "menu", key: "resign" }, h("summary", { class: "quiet" }, "Resign"), h("div", { class: "pop" }, h("p", null, "Give the match up?"), h("button", { type: "button", class: "button danger", onclick: () => command("resign") }, "Resign"))) : null,
  ];
}

function soundSwitch() {
  const turn = (/** @type {Event} */ event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    switchTo("sound", !isOn("sound"));
    button.setAttribute("aria-checked", String(isOn("sound")));
    sound("turn");
  };
  return h("button", { type: "button", class: "quiet sound", key: "sound", role: "switch", "aria-checked": String(isOn("sound")), "aria-keyshortcuts": "M", onclick: turn }, speaker(), h("span", { class: "word" }, "Sound"), h("kbd", null, "M"));
}

/** A loudspeaker; its waves are hidden while the sound is off. */
function speaker() {
  return s("svg", { viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: "M3 9h4l6-5v16l-6-5H3Z" }), s("path", { class: "waves", d: "M16 8.5a5 5 0 0 1 0 7M18.5 6a8.5 8.5 0 0 1 0 12" }), s("path", { class: "cross", d: "M16.5 9.5l5 5m0-5l-5 5" }));
}
