/** Before the match: who sits where, bots, the link for friends, and the start. */

/** @import {TableState} from "./state.js" */
/** @import {Scene} from "./scene.js" */
/** @import {Does} from "./parts.js" */
import { h } from "../lib/dom.js";
import { capital, count } from "../lib/words.js";
import { invitation, inviteOf } from "./invitation.js";

/** @param {TableState} state
 * @param {Scene} scene
 * @param {Pick<Does, "command" | "join" | "showQr">} does */
export function seating(state, scene, { command, join, showQr }) {
  const { status, game, seat } = state;
  if (!status || !game) return null;
  if (status.phase === "Closed") return h("div", { class: "seating" }, h("h2", null, "This table was closed."), h("a", { class: "button", href: "/" }, "All tables"));
  const isAdmin = seat === status.admin;
  const free = game.seats.most - status.seats.length;
  const needed = game.seats.fewest - status.seats.length;
  return h("div", { class: "seating" },
    h("h2", null, needed > 0 ? `Waiting for ${count(needed, "more player")}` : free > 0 ? "Ready when you are" : "All seats are taken"),
    seat === null && free > 0 ? h("button", { type: "button", class: "button primary", key: "join", onclick: join }, "Take a seat") : null,
    isAdmin && needed <= 0 ? h("button", { type: "button", class: "button primary", key: "start", onclick: () => command("start") }, "Start the match") : null,
    !isAdmin && seat !== null ? h("p", null, `${capital(scene.name(status.admin))} starts the match.`) : null,
    seat !== null && free > 0 && (status.settings.isListed || inviteOf(status.table)) ? invitation(status.table, state.invitation, showQr) : null,
    isAdmin && free > 0 ? h("div", { class: "row", key: "bots" }, h("span", null, "Add a bot:"), game.bots.map((bot) => h("button", { type: "button", class: "button small", title: bot.about, onclick: () => command("addBot", { bot: bot.name, name: freeName(bot.name, status.seats.map((each) => each.player)) }) }, capital(bot.name)))) : null,
    isAdmin && status.seats.length > 1 ? h("div", { class: "row", key: "remove" }, h("span", null, "Remove:"), status.seats.filter((each) => each.player !== seat).map((each) => h("button", { type: "button", class: "button small", onclick: () => command("remove", { name: each.player }) }, capital(scene.name(each.player))))) : null,
    h("div", { class: "row", key: "leave" },
      isAdmin ? h("button", { type: "button", class: "quiet", onclick: () => command("close") }, "Close the table") : null,
      !isAdmin && seat !== null ? h("button", { type: "button", class: "quiet", onclick: () => command("leave") }, "Leave") : null,
    ),
  );
}

/** @param {string} bot @param {readonly string[]} taken */
function freeName(bot, taken) {
  let number = 1;
  while (taken.includes(`${bot} ${number}`)) number += 1;
  return `${bot} ${number}`;
}
