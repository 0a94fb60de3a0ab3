/** Whether what is shown is true: the state of the connection, in a word and, when something is wrong, in a sentence. */

/** @import {Connection} from "../lib/wire.js" */
import { h } from "../lib/dom.js";
import { forget } from "../lib/me.js";

const WORDS = { connecting: "connecting…", open: "live", waiting: "reconnecting…", offline: "offline", replaced: "open elsewhere", stopped: "not connected" };

/** @param {Connection} connection */
export function connectionBadge({ state }) {
  return h("span", { class: `badge line ${state}`, role: "status" }, WORDS[state]);
}

/** @param {{connection: Connection, status: object | null}} state @param {() => void} connect */
export function notice({ connection, status }, connect) {
  const { state, text, code } = connection;
  if (state === "replaced") return trouble("This table is open in another tab or on another device. It plays there now.", "Play here", connect);
  if (state === "stopped" && (code === 4001 || code === 4202)) return trouble("This device is logged out. Start again as a new player, or use a code from a device that is logged in.", "Start again", () => (forget(), connect()));
  if (state === "stopped") return trouble(text, null, connect, code === 4004 || code === 4003);
  if (state === "offline") return trouble("You are offline. The match is kept; it goes on when you are back.", null, connect);
  if (state === "waiting" && status) return trouble(`The connection is lost; trying again. ${text}`, "Try now", connect);
  return null;
}

/** @param {string} text @param {string | null} label @param {() => void} action @param {boolean} [isFinal] */
function trouble(text, label, action, isFinal = false) {
  return h("div", { class: "notice", role: "alert", key: "trouble" }, h("p", null, text), label ? h("button", { type: "button", class: "button", onclick: action }, label) : null, isFinal ? h("a", { href: "/", class: "button" }, "To all tables") : null);
}
