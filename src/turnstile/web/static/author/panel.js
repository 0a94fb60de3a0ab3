/** `<author-panel table="...">`: what an author wants to see of a match beside it. The diagram of the game and the raw updates are for
 * everyone: they hold nothing that the player may not see. Steps and seats come from a server with `--dev`, for a table at which
 * the player holds all seats; elsewhere the panel shows why the server refuses them. */

/** @import {GameStep, MachinePage, Hop, GameSteps, TableSight} from "../../types/protocol" */
/** @import {ServerFrame} from "../lib/wire.js" */
/** @import {TableScreen} from "../table/table.js" */
import { h, morph } from "../lib/dom.js";
import { framesOf, isDev, onFrames } from "../lib/author.js";
import { call, Problem } from "../lib/http.js";
import { switchTo } from "../lib/settings.js";
import { Store } from "../lib/store.js";
import { showAuthor } from "./author.js";
import { diagram } from "./diagram.js";
import { pretty } from "./json.js";

const TABS = /** @type {const} */ ({ diagram: "Diagram", steps: "Steps", updates: "Updates", seats: "Seats" });
const TAB = "turnstile.author.tab";
const SOON_MS = 150; // a move comes as several frames
const MOST_SHOWN = 100;

/** @typedef {keyof typeof TABS} Tab */
/** @typedef {object} PanelState
 * @property {Tab} tab
 * @property {readonly ServerFrame[]} frames
 * @property {MachinePage | null} machine
 * @property {readonly GameStep[]} steps
 * @property {string | null} phase as the steps have it
 * @property {TableSight | null} sight
 * @property {string} refusal why there are no steps and seats
 * @property {string} said */

export class AuthorPanel extends HTMLElement {
  /** @type {Store<PanelState>} */
  #store = new Store(/** @type {PanelState} */ ({ tab: chosenTab(), frames: [], machine: null, steps: [], phase: null, sight: null, refusal: "", said: "" }));
  #timer = /** @type {any} */ (null);
  #stop = () => {};

  get table() {
    return this.getAttribute("table") ?? "";
  }

  connectedCallback() {
    const [head, body] = [h("header"), h("div", { class: "author-body", tabindex: 0, role: "region", "aria-label": "What the panel shows" })];
    this.append(h("section", { class: "author-panel", "aria-label": "Author's panel" }, head, body));
    this.#store.watch((s) => s.tab, (s) => morph(head, this.#head(s)));
    this.#store.watch((s) => s, (s) => morph(body, this.#body(s)));
    this.#stop = onFrames(() => this.#change());
    this.#change();
  }

  disconnectedCallback() {
    this.#stop();
    clearTimeout(this.#timer);
  }

  #change() {
    this.#store.set({ frames: framesOf(this.table) });
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#load(), SOON_MS);
  }

  async #load() {
    const status = this.#store.state.frames.findLast((frame) => frame.type === "status");
    if (status?.type !== "status") return;
    try {
      if (!this.#store.state.machine) this.#store.set({ machine: await call("GET", `/api/games/${encodeURIComponent(status.game)}/machine`) });
      if (status.phase === "Closed" && status.result) this.#store.set({ refusal: status.result.reason, steps: [], sight: null });
      else if (isDev()) await this.#loadSteps();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.#store.set({ refusal: fault.message, steps: [], sight: null });
    }
  }

  async #loadSteps() {
    const { steps } = this.#store.state;
    const found = /** @type {GameSteps} */ (await call("GET", `/api/dev/tables/${this.table}/steps?after=${steps.length}`));
    const sight = /** @type {TableSight} */ (await call("GET", `/api/dev/tables/${this.table}/seats`));
    this.#store.set({ steps: [...steps, ...found.steps], phase: found.phase, sight, refusal: "" });
  }

  // showing

  /** @param {PanelState} state */
  #head({ tab }) {
    const names = /** @type {Tab[]} */ (Object.keys(TABS));
    return [
      h("div", { class: "tabs", role: "group", "aria-label": "Show" }, names.map((name) => h("button", { type: "button", key: name, "aria-pressed": String(name === tab), onclick: () => this.#show(name) }, TABS[name]))),
      h("button", { type: "button", class: "quiet", "aria-label": "Close the panel", onclick: () => (switchTo("panel", false), showAuthor()) }, "×"),
    ];
  }

  /** @param {Tab} tab */
  #show(tab) {
    localStorage.setItem(TAB, tab);
    this.#store.set({ tab });
  }

  /** @param {PanelState} state */
  #body(state) {
    if (state.tab === "diagram") return this.#diagram(state);
    if (state.tab === "updates") return updates(state.frames);
    if (!isDev()) return h("p", { class: "hint" }, "Only for the author of a game, at a server on the same machine: turnstile serve --dev.");
    if (state.refusal) return h("p", { class: "refusal" }, state.refusal);
    return state.tab === "steps" ? steps(state.steps, state.sight) : seats(state.sight);
  }

  /** @param {PanelState} state */
  #diagram({ machine, phase, steps, said }) {
    if (!machine) return h("p", { class: "hint" }, "…");
    return [
      diagram(machine, phaseOf(machine) ?? phase, hopsOf(steps)),
      h("p", { class: "row" }, h("button", { type: "button", class: "button small", onclick: () => this.#copy(machine.mermaid) }, "Copy as Mermaid"), h("span", { role: "status" }, said)),
    ];
  }

  /** @param {string} text */
  async #copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      this.#store.set({ said: "Copied." });
    } catch {
      this.#store.set({ said: "The browser does not allow it." });
    }
  }
}

/** @returns {Tab} */
function chosenTab() {
  const chosen = localStorage.getItem(TAB) ?? "";
  return chosen in TABS ? /** @type {Tab} */ (chosen) : "diagram";
}

/** The phase in what the player sees, if its view has one.
 * @param {MachinePage} machine
 * @returns {string | null} */
function phaseOf(machine) {
  const view = /** @type {TableScreen | null} */ (document.querySelector("table-screen"))?.view;
  return machine.phases.some(({ name }) => name === view?.phase) ? view.phase : null;
}

/** The hops of the newest step.
 * @param {readonly GameStep[]} steps
 * @returns {readonly Hop[]} */
function hopsOf(steps) {
  return steps.at(-1)?.hops ?? [];
}

/** @param {readonly ServerFrame[]} frames */
function updates(frames) {
  const shown = frames.filter(({ type }) => type !== "ping").slice(-MOST_SHOWN);
  if (!shown.length) return h("p", { class: "hint" }, "Nothing has come yet.");
  return h("ol", { class: "items" }, shown.map((frame, index) => [frame, index]).reverse().map(([frame, index]) => item(`frame ${frames.length - shown.length + Number(index)}`, titleOf(/** @type {ServerFrame} */ (frame)), frame)));
}

/** @param {ServerFrame} frame */
function titleOf(frame) {
  if (frame.type !== "update") return [h("strong", null, frame.type)];
  const told = frame.messages.map((/** @type {any} */ message) => message.type).join(", ");
  return [h("strong", null, `update ${frame.seq}`), told ? ` ${told}` : "", frame.actions.length ? h("small", null, ` ${frame.actions.length} moves`) : null];
}

/** @param {readonly GameStep[]} found @param {TableSight | null} sight */
function steps(found, sight) {
  if (!found.length) return h("p", { class: "hint" }, "No event of the game yet.");
  const hop = (/** @type {Hop} */ each) => h("span", null, `${each.from} → ${each.to}`, each.label ? h("small", null, ` ${each.label}`) : null);
  return h("ol", { class: "items" }, found.slice(-MOST_SHOWN).reverse().map((step) => {
    const { event, effects } = named({ event: step.event, effects: step.effects }, sight);
    return item(`step ${step.number}`, [h("strong", null, `${step.number} ${event.type}`), event.player ? h("span", null, event.player) : null, h("span", { class: "hops" }, step.hops.map(hop))], { event, effects });
  }));
}

/** @param {TableSight | null} sight */
function seats(sight) {
  if (!sight) return h("p", { class: "hint" }, "…");
  return h("ol", { class: "items" },
    sight.seats.map((seat) => item(`seat ${seat.player}`, [h("strong", null, seat.name), seat.update?.actions.length ? h("small", null, ` ${seat.update.actions.length} moves`) : null], named({ view: seat.update?.view ?? null, actions: seat.update?.actions ?? [] }, sight), true)),
    item("state", [h("strong", null, "The whole state"), h("small", null, " no seat sees this")], named(sight.state, sight)),
  );
}

/** The same with names in place of players' ids, which are long.
 * @template T @param {T} value @param {TableSight | null} sight
 * @returns {T} */
function named(value, sight) {
  const text = (sight?.seats ?? []).reduce((written, { player, name }) => (player === null ? written : written.replaceAll(JSON.stringify(player), JSON.stringify(name))), JSON.stringify(value));
  return JSON.parse(text);
}

/** A line that opens to its JSON.
 * @param {string} key @param {import("../../types/dom").Children} title @param {unknown} value @param {boolean} [isOpen] */
function item(key, title, value, isOpen = false) {
  return h("li", { key }, h("details", { open: isOpen }, h("summary", null, title), h("pre", { tabindex: 0 }, pretty(value))));
}
