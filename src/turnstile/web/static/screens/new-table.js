/** `<new-table-screen>`: make a table. The options of a game are asked for as its schema describes them. */

/** @import {GameEntry, GamePage, HotSeatTable, OpenedTable} from "../../types/protocol" */
import { isDev, keepCompanions } from "../lib/author.js";
import { h, morph } from "../lib/dom.js";
import { call, loadFor, Problem } from "../lib/http.js";
import { asPlayer } from "../lib/me.js";
import { go } from "../lib/router.js";
import { Store } from "../lib/store.js";
import { newId } from "../lib/wire.js";
import { capital, inWords } from "../lib/words.js";
import { keepInvite } from "../table/invitation.js";
import { gamePage } from "../table/games.js";

/** @typedef {{games: readonly GameEntry[], game: GamePage | null, problem: string, isBusy: boolean}} FormState */

const CLOCKS = /** @type {[string, string, object | null][]} */ ([
  ["none", "No clock", null],
  ["quick", "30 seconds a move, then a bot plays", { seconds: 30, per: "move", runOut: "bot" }],
  ["calm", "2 minutes a move, then a bot plays", { seconds: 120, per: "move", runOut: "bot" }],
  ["strict", "10 minutes a match, or it is lost", { seconds: 600, per: "match", runOut: "forfeit" }],
  ["letters", "3 days a move, or it is lost", { seconds: 259200, per: "move", runOut: "forfeit" }],
]);

export class NewTableScreen extends HTMLElement {
  /** @type {Store<FormState>} */
  #store = new Store(/** @type {FormState} */ ({ games: [], game: null, problem: "", isBusy: false }));

  connectedCallback() {
    document.title = "New table · Turnstile";
    const form = h("form", { class: "page form", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), void this.#open(form)) });
    this.append(form);
    this.#store.watch((s) => s, (s) => morph(form, this.#form(s)));
    void loadFor(this, () => this.#load(), (problem) => this.#store.set({ problem }));
  }

  async #load() {
    const { games } = await call("GET", "/api/games");
    this.#store.set({ games });
    this.#store.set({ game: await gamePage(this.getAttribute("game") ?? "e-card") });
  }

  /** @param {string} name */
  async #choose(name) {
    try {
      this.#store.set({ game: await gamePage(name), problem: "" });
    } catch (fault) {
      if (fault instanceof Problem) this.#store.set({ problem: fault.message });
    }
  }

  /** @param {FormState} state */
  #form({ games, game, problem, isBusy }) {
    return [
      h("h1", null, "New table"),
      h("fieldset", { class: "pick" }, h("legend", null, "Game"), games.map((each) => h("label", { key: each.name }, h("input", { type: "radio", name: "game", value: each.name, checked: each.name === game?.name, onchange: () => this.#choose(each.name) }), h("span", null, each.title)))),
      game ? [optionFields(game), botFields(game), isDev() ? ownSeatField(game) : null] : null,
      h("label", { class: "field" }, h("span", null, "Clock"), h("select", { name: "clock" }, CLOCKS.map(([value, text]) => h("option", { value }, text)))),
      h("label", { class: "check" }, h("input", { type: "checkbox", name: "inviteOnly" }), h("span", null, "Only with the link", h("small", null, "Not listed, and without spectators."))),
      problem ? h("p", { class: "refusal", role: "alert" }, problem) : null,
      h("div", { class: "row" }, h("button", { class: "button primary", disabled: !game || isBusy }, isBusy ? "Opening…" : "Open the table"), h("a", { class: "quiet", href: "/" }, "Cancel")),
    ];
  }

  /** @param {HTMLFormElement} form */
  async #open(form) {
    const { game, isBusy } = this.#store.state;
    if (!game || isBusy) return;
    const given = new FormData(form);
    const clock = CLOCKS.find(([name]) => name === given.get("clock"))?.[2] ?? null;
    const bots = Array.from({ length: Number(given.get("bots")) }, () => String(given.get("bot")));
    this.#store.set({ isBusy: true, problem: "" });
    try {
      if (Number(given.get("seats")) > 1) return await openHotSeat({ game: game.name, options: optionsOf(game, given), bots, seats: Number(given.get("seats")), id: newId() });
      const opened = /** @type {OpenedTable} */ (await asPlayer(() => call("POST", "/api/tables", { game: game.name, options: optionsOf(game, given), bots, settings: { clock }, inviteOnly: given.has("inviteOnly"), id: newId() })));
      keepInvite(opened.table, opened.invite);
      go(`/table/${opened.table}`);
    } catch (fault) {
      this.#store.set({ isBusy: false, problem: fault instanceof Problem ? fault.message : "The table could not be opened." });
    }
  }
}

/** @param {GamePage} game */
function botFields(game) {
  const numbers = Array.from({ length: game.seats.most }, (_, number) => number);
  const seats = game.seats.fewest === game.seats.most ? `${game.seats.most} players` : `${game.seats.fewest} to ${game.seats.most} players`;
  return h("fieldset", { class: "bot-fields", key: `bots ${game.name}` },
    h("legend", null, "Bots ", h("small", null, `This game has ${seats}.`)),
    h("label", { class: "field" }, h("span", null, "How many bots"), h("select", { name: "bots" }, numbers.map((number) => h("option", { value: number }, number ? String(number) : "none")))),
    h("label", { class: "field" }, h("span", null, "Which bot"), h("select", { name: "bot" }, game.bots.map((bot) => h("option", { value: bot.name, title: bot.about }, capital(bot.name))))),
  );
}

/** For the author of a game: how many seats one person plays.
 * @param {GamePage} game */
function ownSeatField(game) {
  const numbers = Array.from({ length: game.seats.most }, (_, number) => number + 1);
  return h("label", { class: "field", key: `seats ${game.name}` }, h("span", null, "Seats that you play yourself"), h("select", { name: "seats" }, numbers.map((number) => h("option", { value: number }, number))));
}

/** @param {object} wanted */
async function openHotSeat(wanted) {
  const opened = /** @type {HotSeatTable} */ (await asPlayer(() => call("POST", "/api/dev/tables", wanted)));
  keepCompanions(opened.seats);
  go(`/table/${opened.table}`);
}

// options from the schema

/** @typedef {{type?: string, enum?: unknown[], minimum?: number, maximum?: number, default?: unknown, description?: string, anyOf?: Property[], $ref?: string}} Property */

/** @param {GamePage} game @returns {[string, Property, boolean][]} name, schema, whether it may be left out */
function properties(game) {
  const schema = /** @type {any} */ (game.schemas.options);
  const resolve = (/** @type {any} */ part) => (part?.$ref ? schema.$defs[part.$ref.split("/").at(-1)] : part);
  return Object.entries(resolve(schema)?.properties ?? {}).map(([name, found]) => {
    const kinds = (/** @type {Property} */ (found).anyOf ?? [found]).map(resolve);
    const main = kinds.find((each) => each.type !== "null") ?? found;
    return [name, { ...main, default: /** @type {Property} */ (found).default }, kinds.length > 1 || "default" in /** @type {object} */ (found)];
  });
}

/** @param {GamePage} game */
function optionFields(game) {
  const fields = properties(game);
  if (!fields.length) return null;
  return h("fieldset", { key: `options ${game.name}` }, h("legend", null, "Options"), fields.map(([name, property, isOptional]) => h("label", { class: "field", key: name }, h("span", null, capital(inWords(name))), input(`option.${name}`, property, isOptional))));
}

/** @param {string} name @param {Property} property @param {boolean} isOptional */
function input(name, property, isOptional) {
  if (property.type === "boolean") return h("input", { type: "checkbox", name, checked: property.default === true });
  if (property.enum) return h("select", { name }, isOptional && property.default === null ? h("option", { value: "" }, "as usual") : null, property.enum.map((each) => h("option", { value: String(each), selected: each === property.default }, capital(inWords(String(each))))));
  const isNumber = property.type === "integer" || property.type === "number";
  const bounds = property.minimum !== undefined && property.maximum !== undefined ? `${property.minimum} to ${property.maximum}` : "";
  return h("input", { type: isNumber ? "number" : "text", name, min: property.minimum, max: property.maximum, value: property.default ?? "", placeholder: isOptional ? "as usual" : bounds, required: !isOptional, title: bounds });
}

/** @param {GamePage} game @param {FormData} given */
function optionsOf(game, given) {
  const found = properties(game).flatMap(/** @returns {[string, unknown][]} */ ([name, property]) => {
    const value = given.get(`option.${name}`);
    if (property.type === "boolean") return [[name, value !== null]];
    if (value === null || value === "") return [];
    return [[name, property.type === "integer" || property.type === "number" ? Number(value) : value]];
  });
  return Object.fromEntries(found);
}
