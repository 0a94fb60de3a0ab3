/** The parts of a table on the page. Each shows a part of the state, and runs only when that has changed. */

/** @import {Store} from "../lib/store.js" */
/** @import {AfterMatch} from "./after.js" */
/** @import {Layout, Scene} from "./scene.js" */
/** @import {TableState} from "./state.js" */
import { announce, h, morph } from "../lib/dom.js";
import { moving } from "../lib/motion.js";
import { atMoment } from "../lib/replay.js";
import { REFUSAL } from "./choice.js";
import { notice } from "./connection.js";
import { ending } from "./ending.js";
import { tableHead } from "./head.js";
import { hintBox, hintFor } from "./hints.js";
import { log, newsOf, sentenceOf, words } from "./log.js";
import { nameOf } from "./names.js";
import { missing } from "./missing.js";
import { seating } from "./seating.js";
import { seats } from "./seats.js";

/** @typedef {object} Does what the player can do
 * @property {(type: string, fields?: object) => Promise<unknown>} command
 * @property {() => void} join
 * @property {() => void} connect
 * @property {() => void} showQr
 * @property {(name: string) => void} dismissHint
 * @property {() => void} catchUp show the newest update now */
/** @typedef {object} Around
 * @property {() => Scene} scene
 * @property {(show: () => void) => void} guarded
 * @property {AfterMatch} after
 * @property {Does} does */
/** @typedef {{[name in "head" | "trouble" | "felt" | "strip" | "board" | "hint" | "ask" | "refusal" | "hand" | "end" | "sheet" | "told" | "text"]: HTMLElement}} Parts */

/** Make the parts of a table, and keep them up to date.
 * @param {HTMLElement} root @param {Store<TableState>} store @param {Around} around */
export function buildParts(root, store, around) {
  const { scene, guarded, after, does } = around;
  const parts = makeParts(root);
  parts.board.addEventListener("click", does.catchUp);
  store.watch((s) => [s.status, s.game, s.connection, s.seat], (s) => morph(parts.head, tableHead(s, does)));
  store.watch((s) => isOwnTurn(s), (s) => showIcon(isOwnTurn(s)));
  store.watch((s) => [s.connection, s.problem, s.status, s.here, s.names, s.tick], (s) => morph(parts.trouble, notice(s, does.connect), s.status && s.connection.state === "open" ? missing(s, (player) => nameOf(player, s)) : null));
  store.watch((s) => [s.status, s.stream, s.layout, s.names, s.seat, s.raised, s.sent, s.refused, s.queued, s.connection.state, s.game, s.moment, s.invitation], (s) => guarded(() => showBoard(atMoment(s), parts, around)));
  store.watch((s) => [s.status, s.stream, s.layout, s.names, s.here, s.seat, s.tick, s.connection.state, s.moment], (s) => guarded(() => showSeats(atMoment(s), parts, scene())));
  store.watch((s) => s.stream.seq, (s) => root.setAttribute("data-seq", String(s.stream.seq)));
  store.watch((s) => s.refusal, (s) => morph(parts.refusal, s.refusal));
  store.watch((s) => [s.status, s.stream, s.layout, s.seat, s.seenHints, s.sent, s.moment], (s) => guarded(() => showHint(s, parts, around)));
  store.watch((s) => [s.stream, s.layout, s.names, s.status, s.moment], (s) => guarded(() => showAside(atMoment(s), s, parts, around)));
  store.watch((s) => [s.status, s.names, s.layout, s.seat, s.moments, s.moment, s.fairness], (s) => morph(parts.end, s.status?.result && s.layout ? ending(s, scene(), does.command, after) : null));
}

/** @param {HTMLElement} root @returns {Parts} */
function makeParts(root) {
  const part = (/** @type {string} */ tag, /** @type {string} */ kind, /** @type {object} */ rest = {}) => h(tag, { class: kind, ...rest });
  const inFelt = {
    strip: part("ul", "seats", { "aria-label": "Players" }),
    board: part("div", "board"),
    hint: part("div", "first-hint", { role: "note", "aria-label": "Hint" }),
    ask: part("p", "ask", { role: "status" }),
    refusal: part("p", "refusal", { role: "alert", id: REFUSAL }),
    hand: part("div", "hand", { role: "group", "aria-label": "Your choices" }),
    end: part("section", "ending"),
  };
  const beside = { sheet: part("section", "sheet"), told: part("section", "told"), text: part("details", "in-words") };
  const felt = h("section", { class: "felt on-table", "aria-label": "The table" }, Object.values(inFelt));
  const [head, trouble] = [part("header", "table-head"), part("div", "trouble")];
  root.append(head, trouble, h("div", { class: "table-body" }, felt, h("aside", { "aria-label": "What happened" }, Object.values(beside))));
  return { head, trouble, felt, ...inFelt, ...beside };
}

/** @param {TableState} state */
function isOwnTurn({ stream, status, seat }) {
  return stream.actions.length > 0 && status?.result === null && seat !== null;
}

/** The icon of the tab says whose turn it is, too.
 * @param {boolean} isTurn */
export function showIcon(isTurn) {
  const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
  if (icon) icon.href = (isTurn ? icon.dataset.turn : icon.dataset.quiet) ?? icon.href;
}

/** @param {TableState} state @param {Parts} parts @param {Scene} scene */
function showSeats(state, { strip }, scene) {
  if (!state.status) return;
  const isPlaying = state.layout !== null && state.stream.view !== null;
  const toMove = isPlaying && !state.status.result ? (state.layout?.toMove?.(scene) ?? []) : [];
  morph(strip, seats(state, scene, toMove, isPlaying ? (player) => state.layout?.seat?.(scene, player) : () => null));
}

/** @param {TableState} state @param {Parts} parts @param {Around} around */
function showBoard(state, parts, { scene: currentScene, does }) {
  const { status, layout, stream, game } = state;
  const { felt, board, hand, ask } = parts;
  if (!status || !layout) return;
  const scene = currentScene();
  felt.classList.toggle("your-turn", scene.actions.length > 0 && !state.sent && !status.result);
  document.title = `${scene.actions.length && !status.result ? "● Your turn" : (game?.title ?? "Table")} · Turnstile`;
  if (status.phase === "Seating" || status.phase === "Closed") {
    morph(board, seating(state, scene, does));
    morph(hand);
    morph(ask);
    return;
  }
  moving(felt, () => {
    showSeats(state, parts, scene);
    morph(board, stream.view === null ? null : layout.table?.(scene));
    morph(hand, stream.view === null || status.result ? null : layout.hand?.(scene));
  }, state.isJump);
  const question = questionOf(state, scene, layout);
  if (ask.textContent !== question) morph(ask, question);
}

/** What stands above the player's choices: the question, or in a replay what was told.
 * @param {TableState} state @param {Scene} scene @param {Layout} layout */
function questionOf({ moment, status, stream, connection }, scene, layout) {
  if (moment !== null) return newsOf(scene, layout);
  if (status?.result) return "";
  if (scene.sent && connection.state !== "open") return "Your move is kept. It is sent as soon as the connection is back.";
  return stream.view === null ? "The match is about to begin." : (layout.ask?.(scene) ?? waitingWords(scene, layout));
}

/** @param {Scene} scene @param {Layout} layout */
function waitingWords(scene, layout) {
  if (scene.sent) return "Sent; waiting for the server.";
  const waiting = (layout.toMove?.(scene) ?? []).filter((player) => player !== scene.seat).map(scene.name);
  return waiting.length ? `Waiting for ${waiting.join(" and ")}.` : "Waiting for the other players.";
}

/** @param {TableState} state @param {Parts} parts @param {Around} around */
function showHint({ status, layout, seenHints, sent, moment }, { hint: box }, { scene, does }) {
  const isAsked = status && layout && !sent && moment === null && !["Seating", "Closed"].includes(status.phase);
  const hint = isAsked ? hintFor(scene(), layout, seenHints) : null;
  morph(box, hintBox(hint, does.dismissHint));
}

/** @param {TableState} state @param {TableState} present @param {Parts} parts @param {Around} around */
function showAside({ stream, layout, status }, present, { sheet, told, text }, { scene: currentScene, after }) {
  if (!status || !layout) return;
  const scene = currentScene();
  morph(sheet, stream.view === null ? null : layout.sheet?.(scene));
  const all = present.stream.told;
  morph(told, all.length ? log(all, (message) => sentenceOf(message, scene, layout), after.links()) : null);
  morph(text, stream.view === null ? null : words(layout.text?.(scene) ?? []));
  announce(newsOf(scene, layout));
  const lines = told.querySelector("ol");
  const current = /** @type {HTMLElement | null | undefined} */ (lines?.querySelector("[aria-current]"));
  if (lines) lines.scrollTop = current ? current.offsetTop - lines.offsetTop - lines.clientHeight / 2 : lines.scrollHeight;
}
