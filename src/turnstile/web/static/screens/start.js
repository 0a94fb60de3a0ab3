/** `<start-screen>`: one button to play, then the open tables as they change, the player's own tables, and the best players. */

/** @import {GameEntry, Leader, LeaderList, ListedTable, TableList} from "../../types/protocol" */
import { card } from "../card/card.js";
import { h, morph } from "../lib/dom.js";
import { call, listen, loadFor, Problem } from "../lib/http.js";
import { player } from "../lib/me.js";
import { playNow } from "../lib/quick.js";
import { Store } from "../lib/store.js";
import { capital, list } from "../lib/words.js";

/** @typedef {object} StartState
 * @property {readonly GameEntry[]} games
 * @property {ReadonlyMap<string, ListedTable> | null} open `null` until the server has said which tables there are
 * @property {readonly ListedTable[]} own
 * @property {{readonly [player: string]: string}} names
 * @property {boolean} isLive whether `open` is what the server says now
 * @property {string} busy the game that is being opened
 * @property {string} problem
 * @property {boolean} isLoggedOut whether the server has forgotten the player of this device
 * @property {{readonly [game: string]: readonly Leader[]}} leaders */

const FIRST_GAME = "e-card";
const LOGGED_OUT = "This device was logged out. Play as a new player, or use a code from another device.";
/** A few cards for each game that we know; other games get plain ones. */
const PICTURES = /** @type {{[game: string]: [string, string[]]}} */ ({
  "e-card": ["ecard", ["S", "C", "E"]],
  66: ["numbers", ["0", "7", "12"]],
  "up-down": ["french", ["10:clubs", "Q:hearts", "A:spades"]],
  "even-odd": ["plain", ["2", "5", "8"]],
});
const TELLING = /** @type {{[game: string]: string}} */ ({
  "e-card": "Emperor, citizen, slave, and the nerve to choose.",
  66: "Four hidden cards, and how well you remember them.",
  "up-down": "Say how many tricks you will win. Then win exactly those.",
  "even-odd": "Two words, one number, and what the other will say.",
});

export class StartScreen extends HTMLElement {
  /** @type {Store<StartState>} */
  #store = new Store(/** @type {StartState} */ ({ games: [], open: null, own: [], names: {}, isLive: false, busy: "", problem: "", isLoggedOut: false, leaders: {} }));
  #stop = () => {};
  /** Whether the next change is the first one of a connection, which has the whole list. */
  #isFirst = true;

  connectedCallback() {
    document.title = "Turnstile";
    const [hero, own, games, open, leaders] = ["hero on-table", "own", "games", "open", "leaders"].map((kind) => h("section", { class: kind }));
    this.append(hero, own, games, open, leaders);
    const store = this.#store;
    store.watch((s) => [s.games, s.busy, s.problem], (s) => morph(hero, this.#hero(s)));
    store.watch((s) => [s.own, s.games, s.names], (s) => morph(own, this.#own(s)));
    store.watch((s) => [s.games, s.busy], (s) => morph(games, this.#games(s)));
    store.watch((s) => [s.open, s.names, s.isLive, s.games], (s) => morph(open, this.#open(s)));
    store.watch((s) => [s.leaders, s.games], (s) => morph(leaders, this.#leaders(s)));
    void loadFor(this, () => this.#load(), (problem) => store.set({ problem: problem || (store.state.isLoggedOut ? LOGGED_OUT : "") }));
    this.#stop = listen("/api/tables", { onEvent: (change) => this.#change(change), onState: () => this.#expectAll() });
  }

  disconnectedCallback() {
    this.#stop();
  }

  async #load() {
    const known = player();
    const { games } = await call("GET", "/api/games");
    this.#store.set({ games: [...games].sort((one, other) => Number(other.name === FIRST_GAME) - Number(one.name === FIRST_GAME)), isLoggedOut: known !== null && player() === null });
    if (player()) {
      const own = /** @type {TableList} */ (await call("GET", "/api/me/tables?open=true&limit=10"));
      this.#store.set({ own: own.tables, names: { ...this.#store.state.names, ...own.names } });
    }
    await this.#loadLeaders();
  }

  /** The best players of each game. */
  async #loadLeaders() {
    for (const { name } of this.#store.state.games) {
      const found = /** @type {LeaderList} */ (await call("GET", `/api/games/${encodeURIComponent(name)}/leaders?limit=5`));
      this.#store.set({ leaders: { ...this.#store.state.leaders, [name]: found.leaders } });
    }
  }

  /** A connection was made or lost: what is shown counts again when the whole list has come. */
  #expectAll() {
    this.#isFirst = true;
    this.#store.set({ isLive: false });
  }

  /** @param {{changed?: ListedTable[], gone?: string[]}} change */
  #change({ changed = [], gone = [] }) {
    const open = new Map(this.#isFirst ? [] : this.#store.state.open);
    this.#isFirst = false;
    for (const table of changed) open.set(table.table, table);
    for (const table of gone) open.delete(table);
    this.#store.set({ open, isLive: true });
    if (changed.some((table) => table.players.some((each) => each.startsWith("p-") && !(each in this.#store.state.names)))) void this.#loadNames();
  }

  async #loadNames() {
    const page = /** @type {TableList} */ (await call("GET", "/api/tables?limit=200").catch(() => ({ names: {} })));
    this.#store.set({ names: { ...this.#store.state.names, ...page.names } });
  }

  /** @param {GameEntry} game */
  async #play(game) {
    if (this.#store.state.busy) return;
    this.#store.set({ busy: game.name, problem: "" });
    try {
      await playNow(game);
    } catch (fault) {
      this.#store.set({ busy: "", problem: fault instanceof Problem ? fault.message : "The table could not be opened." });
    }
  }

  /** @param {StartState} state */
  #hero({ games, busy, problem }) {
    const first = games[0];
    return [
      h("div", { class: "spread", "aria-hidden": "true" }, card({ deck: "ecard", face: "S" }), card({ deck: "ecard" }), card({ deck: "ecard", face: "E" })),
      h("h1", null, "A quiet table, a few cards, and what the others hide."),
      h("button", { type: "button", class: "button primary play", disabled: !first, onclick: () => first && this.#play(first) }, busy && busy === first?.name ? "Dealing…" : `Play ${first?.title ?? ""}`),
      h("p", { class: "hint" }, "Against a bot, at once. No account."),
      problem ? h("p", { class: "refusal", role: "alert" }, problem) : null,
    ];
  }

  /** @param {StartState} state */
  #own({ own, games, names }) {
    if (!own.length) return null;
    return [h("h2", null, "Your tables"), h("ul", { class: "tables" }, own.map((table) => row(table, games, names, "Go on")))];
  }

  /** @param {StartState} state */
  #games({ games, busy }) {
    return [
      h("h2", null, "Games"),
      h("ul", { class: "tiles" }, games.map((game) => {
        const [deck, faces] = PICTURES[game.name] ?? ["plain", ["", "", ""]];
        return h("li", { key: game.name, class: "tile" },
          h("div", { class: "spread small", "aria-hidden": "true" }, faces.map((face) => card({ deck, face: face || null }))),
          h("h3", null, game.title),
          h("p", null, TELLING[game.name] ?? "", " ", h("small", null, seatWords(game))),
          h("div", { class: "row" },
            h("button", { type: "button", class: "button", onclick: () => this.#play(game) }, busy === game.name ? "Dealing…" : "Play a bot", h("span", { class: "visually-hidden" }, ` at ${game.title}`)),
            h("a", { class: "button", href: `/new?game=${encodeURIComponent(game.name)}` }, "With friends", h("span", { class: "visually-hidden" }, `: ${game.title}`)),
            h("a", { class: "quiet", href: `/rules/${encodeURIComponent(game.name)}` }, "Rules", h("span", { class: "visually-hidden" }, ` of ${game.title}`)),
          ),
        );
      })),
    ];
  }

  /** @param {StartState} state */
  #open({ open, games, names, isLive }) {
    const tables = [...(open ?? new Map()).values()].sort((one, other) => other.opened - one.opened);
    return [
      h("h2", null, "Open tables ", h("span", { class: `badge line ${isLive ? "open" : "waiting"}` }, isLive ? "live" : "connecting…")),
      tables.length ? h("ul", { class: "tables" }, tables.map((table) => row(table, games, names))) : null,
      open?.size === 0 ? h("p", { class: "hint" }, "No open tables right now. ", h("a", { href: "/new" }, "Make one"), " and send a friend the link.") : null,
    ];
  }

  /** @param {StartState} state */
  #leaders({ leaders, games }) {
    const rated = games.filter((game) => leaders[game.name]?.length);
    if (!rated.length) return null;
    return [h("h2", null, "Best players"), h("div", { class: "tiles" }, rated.map((game) => h("div", { class: "tile", key: game.name }, h("h3", null, game.title), h("ol", null, leaders[game.name].map((each) => h("li", null, `${each.name} `, h("small", null, String(Math.round(each.rating)))))))))];
  }
}

/** @param {ListedTable} table @param {readonly GameEntry[]} games @param {{readonly [player: string]: string}} names @param {string} [label] */
function row(table, games, names, label) {
  const game = games.find((each) => each.name === table.game);
  const free = game && table.phase === "Seating" ? game.seats.most - table.players.length : 0;
  const who = list(table.players.map((each) => (each === player()?.player ? "you" : (names[each] ?? (each.startsWith("p-") ? "a player" : capital(each))))));
  return h("li", { key: table.table },
    h("a", { href: `/table/${table.table}` }, h("strong", null, game?.title ?? table.game), h("span", { class: "who" }, capital(who)), h("span", { class: "verb" }, label ?? (free > 0 ? "Join" : "Watch"))),
  );
}

/** @param {GameEntry} game */
function seatWords({ seats: { fewest, most } }) {
  return fewest === most ? `${fewest} players.` : `${fewest} to ${most} players.`;
}
