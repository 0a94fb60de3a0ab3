/** `<author-bar table="...">`: on a server with `--dev`, above every screen. It says which files are watched and what is wrong with
 * them, opens a table at which one person holds all seats, switches between these seats, and opens the panel. */

/** @import {GameList, GamesInDevelopment, HotSeatTable} from "../../types/protocol" */
import { h, morph } from "../lib/dom.js";
import { companionAt, framesOf, keepCompanions, onFrames, takeSeat } from "../lib/author.js";
import { call, listen, Problem } from "../lib/http.js";
import { asPlayer } from "../lib/me.js";
import { go } from "../lib/router.js";
import { isOn, switchTo } from "../lib/settings.js";
import { Store } from "../lib/store.js";
import { newId } from "../lib/wire.js";
import { showAuthor } from "./author.js";
import { OtherSeats, seatsHeld } from "./seats.js";

/** @typedef {{name: string, title: string}} Choice */
/** @typedef {object} BarState
 * @property {GamesInDevelopment | null} watched
 * @property {readonly Choice[]} games
 * @property {string} problem
 * @property {number} count of changes at the table */

export class AuthorBar extends HTMLElement {
  /** @type {Store<BarState>} */
  #store = new Store(/** @type {BarState} */ ({ watched: null, games: [], problem: "", count: 0 }));
  #stops = /** @type {(() => void)[]} */ ([]);
  #stopListening = () => {};
  #others = new OtherSeats(this.table, () => this.#change());

  get table() {
    return this.getAttribute("table") ?? "";
  }

  connectedCallback() {
    const bar = h("section", { class: "author-bar", "aria-label": "For authors" });
    this.append(bar);
    this.#others = new OtherSeats(this.table, () => this.#change());
    this.#store.watch((s) => s, (s) => morph(bar, this.#bar(s)));
    const gone = new AbortController();
    document.addEventListener("visibilitychange", () => this.#listen(), { signal: gone.signal });
    this.#stops = [onFrames(() => this.#change()), () => this.#others.close(), () => gone.abort(), () => this.#stopListening()];
    this.#listen();
    void this.#load();
  }

  disconnectedCallback() {
    for (const stop of this.#stops) stop();
  }

  async #load() {
    const { games } = /** @type {GameList} */ (await call("GET", "/api/games"));
    this.#store.set({ games });
  }

  #change() {
    this.#others.follow(framesOf(this.table));
    this.#store.set({ count: this.#store.state.count + 1 });
  }

  /** Hear of changes while the tab is shown: a browser has few connections for all its tabs. */
  #listen() {
    this.#stopListening();
    if (!document.hidden) this.#stopListening = listen("/api/dev/games", { onEvent: (watched) => this.#learn(watched), onState: () => {} });
  }

  /** A game was loaded again, or the server was: show everything anew.
   * @param {GamesInDevelopment} watched */
  #learn(watched) {
    const before = this.#store.state.watched;
    if (before && before.state !== watched.state) location.reload();
    this.#store.set({ watched });
  }

  /** @param {BarState} state */
  #bar({ watched, games, problem }) {
    const broken = watched?.games.filter((game) => game.problem) ?? [];
    return [
      h("strong", null, "Author"),
      this.table ? [this.#seats(), this.#again()] : this.#start(watched, games),
      h("span", { class: "grow" }),
      watched?.games.length ? h("span", { class: "files", key: "files" }, `Watching ${watched.games.map((game) => game.file).join(", ")}`) : null,
      h("button", { type: "button", class: "button small", key: "panel", "aria-pressed": String(isOn("panel")), onclick: () => this.#togglePanel() }, "Panel"),
      problem ? h("p", { class: "refusal", role: "alert", key: "problem" }, problem) : null,
      broken.map((game) => h("p", { class: "refusal", role: "alert", key: game.name }, `${game.problem} The rules of before stay.`)),
    ];
  }

  #togglePanel() {
    switchTo("panel", !isOn("panel"));
    showAuthor();
    this.#change();
  }

  /** @param {GamesInDevelopment | null} watched @param {readonly Choice[]} games */
  #start(watched, games) {
    if (!watched || !games.length) return null;
    const first = [...watched.games, ...games.filter((game) => !watched.games.some(({ name }) => name === game.name))];
    return h("form", { class: "row", key: "start", onsubmit: (/** @type {SubmitEvent} */ event) => (event.preventDefault(), void this.#open(String(new FormData(/** @type {HTMLFormElement} */ (event.currentTarget)).get("game")))) },
      h("label", { class: "visually-hidden", for: "author-game" }, "Game"),
      h("select", { id: "author-game", name: "game" }, first.map((game) => h("option", { value: game.name, key: game.name }, game.title))),
      h("button", { class: "button small" }, "Play all seats"),
    );
  }

  /** Open a table at which the player of this device holds all seats.
   * @param {string} game */
  async #open(game) {
    this.#store.set({ problem: "" });
    try {
      const opened = /** @type {HotSeatTable} */ (await asPlayer(() => call("POST", "/api/dev/tables", { game, id: newId() })));
      keepCompanions(opened.seats);
      go(`/table/${opened.table}`);
    } catch (fault) {
      this.#store.set({ problem: fault instanceof Problem ? fault.message : "The table could not be opened." });
    }
  }

  /** A new match of the game on the table. */
  #again() {
    const status = framesOf(this.table).findLast((frame) => frame.type === "status");
    if (status?.type !== "status") return null;
    return h("button", { type: "button", class: "button small", key: "again", onclick: () => this.#open(status.game) }, "Play all seats anew");
  }

  /** The seats that this person holds, and which of them are to move. */
  #seats() {
    const held = seatsHeld(framesOf(this.table));
    if (held.length < 2) return null;
    const shown = companionAt(this.table)?.player ?? null;
    return h("div", { class: "row seats-held", role: "group", "aria-label": "Play at the seat of", key: "seats" }, held.map(({ player, name }) =>
      h("button", { type: "button", class: "button small", key: player ?? "own", "aria-pressed": String(player === shown), onclick: () => this.#switch(player) }, name, this.#mayMove(player) ? h("span", { class: "to-move" }, "to move") : null)));
  }

  /** @param {string | null} player */
  #mayMove(player) {
    if (player !== (companionAt(this.table)?.player ?? null)) return this.#others.mayMove(player);
    const newest = framesOf(this.table).findLast((frame) => frame.type === "update");
    return newest?.type === "update" && newest.actions.length > 0;
  }

  /** Play at another seat: the table connects again, as that seat.
   * @param {string | null} player */
  #switch(player) {
    takeSeat(this.table, player);
    this.#others.follow(framesOf(this.table));
    document.querySelector("table-screen")?.replaceWith(h("table-screen", { table: this.table }));
    this.#change();
  }
}
