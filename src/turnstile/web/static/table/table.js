/** `<table-screen table="...">`: one table, from its seats to its result. It connects, keeps one state, and gives each part of
 * the page what that part shows. */

/** @import {TableStatus, TablePage, GamePage, Welcome, Presence} from "../../types/protocol" */
/** @import {ServerFrame} from "../lib/wire.js" */
/** @import {Stream, Tagged} from "../lib/fold.js" */
/** @import {Layout, Scene, Memory} from "./scene.js" */
/** @import {TableState} from "./state.js" */
import generic from "../layouts/generic.js";
import { announce, h, morph } from "../lib/dom.js";
import { fold, NOTHING_YET } from "../lib/fold.js";
import { call, Problem } from "../lib/http.js";
import { ensurePlayer, token } from "../lib/me.js";
import { moving } from "../lib/motion.js";
import { atMoment, momentsOf } from "../lib/replay.js";
import { go, takeSecret } from "../lib/router.js";
import { Store } from "../lib/store.js";
import { newId, Refused, Wire } from "../lib/wire.js";
import { sentenceOf } from "../lib/words.js";
import { AfterMatch } from "./after.js";
import { connectionBadge, notice } from "./connection.js";
import { elementOfKey } from "./keys.js";
import { ending } from "./ending.js";
import { dropInvite, inviteOf, seating } from "./seating.js";
import { layoutOf } from "./scene.js";
import { nameOf } from "./names.js";
import { missing, seats } from "./seats.js";
import { AT_FIRST } from "./state.js";
import { log, words } from "./log.js";

/** @type {Map<string, Promise<GamePage>>} */
const games = new Map();

/** The table of a rematch that the player who opened it has yet to start. */
let rematch = "";

/** All about a game, asked for once.
 * @param {string} name
 * @returns {Promise<GamePage>} */
export function gamePage(name) {
  const known = games.get(name) ?? call("GET", `/api/games/${encodeURIComponent(name)}`);
  games.set(name, known);
  known.catch(() => games.delete(name));
  return known;
}

export class TableScreen extends HTMLElement {
  /** @type {Store<TableState>} */
  #store = new Store(AT_FIRST);
  /** @type {Wire | null} */
  #wire = null;
  /** @type {Readonly<Stream>} */
  #incoming = NOTHING_YET; // folded, but perhaps not shown yet
  /** @type {Readonly<Stream>[]} */
  #streams = []; // after each update; for the replay, when the match is over
  #after = new AfterMatch(this.#store, () => this.table);
  #top = 0;
  #sentUntil = 0;
  /** @type {Memory} */
  #memory = {};
  #gone = new AbortController();
  #ticking = /** @type {any} */ (null);
  #lingering = /** @type {any} */ (null);
  #wakeLock = /** @type {any} */ (null);

  get table() {
    return this.getAttribute("table") ?? "";
  }

  connectedCallback() {
    this.#build();
    document.addEventListener("visibilitychange", () => void this.#stayAwake(), { signal: this.#gone.signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.#gone.signal });
    this.#ticking = setInterval(() => this.#needsTime() && this.#store.set({ tick: this.#store.state.tick + 1 }), 500);
    void this.#enter();
  }

  disconnectedCallback() {
    this.#gone.abort();
    this.#wire?.close();
    clearInterval(this.#ticking);
    clearTimeout(this.#lingering);
    void this.#wakeLock?.release?.();
    document.title = "Turnstile";
    this.#showTurn({ ...this.#store.state, stream: NOTHING_YET });
  }

  // entering

  /** Use the invitation of the address, if there is one; then connect. */
  async #enter() {
    const invite = takeSecret("invite");
    if (invite) {
      try {
        await ensurePlayer();
        await call("POST", `/api/tables/${this.table}/commands`, { type: "join", id: newId(), invite });
      } catch (fault) {
        if (!(fault instanceof Problem)) throw fault;
        if (fault.code !== "AlreadySeated") this.#store.set({ refusal: fault.message });
      }
    }
    if (!this.#gone.signal.aborted) this.#connect();
  }

  #connect() {
    this.#wire = new Wire({
      url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/play`,
      table: this.table,
      token,
      onFrame: (frame) => this.#take(frame),
      onConnection: (connection) => this.#store.set({ connection }),
    });
    this.#wire.connect();
  }

  /** @param {ServerFrame} frame */
  #take(frame) {
    switch (frame.type) {
      case "welcome":
        return this.#welcome(frame);
      case "status":
        return this.#showStatus(frame);
      case "update":
        this.#incoming = fold(this.#incoming, frame);
        this.#streams.push(this.#incoming);
        if (frame.seq >= this.#top) this.#showStream();
        return;
      case "presence":
        return this.#presence(frame);
      case "error":
        if (frame.code !== "FutureAck") this.#store.set({ refusal: frame.message });
    }
  }

  /** @param {Welcome} frame */
  #welcome(frame) {
    if (!frame.resumed || frame.after !== this.#incoming.seq) [this.#incoming, this.#streams] = [NOTHING_YET, []];
    this.#top = frame.top;
    this.#store.set({ seat: frame.seat, here: frame.here, skew: frame.now - Date.now() });
  }

  /** @param {TableStatus} status */
  #showStatus(status) {
    this.#store.set({ status });
    if (!this.#store.state.layout) void this.#loadGame(status.game);
    if (status.seats.some((seat) => seat.kind !== "bot" && !(seat.player in this.#store.state.names))) void this.#loadNames();
    if (status.successor && this.#store.state.seat !== null) return this.#goOn(status.successor);
    if (status.phase === "Seating" && rematch === this.table && this.#store.state.seat === status.admin) {
      rematch = "";
      void this.#command("start");
    }
    if (status.phase !== "Seating") dropInvite(this.table);
    void this.#stayAwake();
  }

  /** All have agreed to a rematch: go to the next table, and start there.
   * @param {string} successor */
  #goOn(successor) {
    rematch = successor;
    go(`/table/${successor}`);
  }

  /** Show the newest update. One step is animated; more than one is jumped over. */
  #showStream() {
    const { stream, raised } = this.#store.state;
    const isJump = this.#incoming.seq !== stream.seq + 1 || stream.view === null;
    const isSameChoice = JSON.stringify(stream.actions) === JSON.stringify(this.#incoming.actions);
    const isAnswered = this.#sentUntil > 0 && this.#incoming.seq >= this.#sentUntil;
    if (isAnswered) this.#sentUntil = 0;
    const settled = isAnswered ? { sent: null, raised: null, refusal: "" } : { raised: isSameChoice ? raised : null };
    const isOver = this.#incoming.messages.some(({ type }) => type === "MatchEnded");
    this.#store.set({ stream: this.#incoming, isJump, ...settled, ...(isOver ? { moments: momentsOf(this.#streams) } : {}) });
    this.#acknowledge(isJump);
  }

  /** The newest update is on the table. It may linger there before it is acknowledged, if the player has nothing to do.
   * @param {boolean} isJump */
  #acknowledge(isJump) {
    const { layout, stream } = this.#store.state;
    let ms = 0;
    if (!isJump && !document.hidden && !stream.actions.length) this.#guarded(() => (ms = layout?.linger?.(this.#scene()) ?? 0));
    clearTimeout(this.#lingering);
    if (ms > 0) this.#lingering = setTimeout(() => this.#wire?.acknowledge(stream.seq), ms);
    else this.#wire?.acknowledge(stream.seq);
  }

  /** @param {Presence} frame */
  #presence({ player, here: isHere }) {
    const { here, goneSince } = this.#store.state;
    const others = here.filter((each) => each !== player);
    this.#store.set({ here: isHere ? [...others, player] : others, goneSince: isHere ? goneSince : { ...goneSince, [player]: Date.now() } });
  }

  /** @param {string} name */
  async #loadGame(name) {
    const [layout, game] = await Promise.all([layoutOf(name), gamePage(name)]);
    this.#store.set({ layout, game });
  }

  async #loadNames() {
    try {
      const page = /** @type {TablePage} */ (await call("GET", `/api/tables/${this.table}`));
      this.#store.set({ names: { ...this.#store.state.names, ...page.names } });
    } catch {
      // names come with the next change of the table
    }
  }

  // doing

  /** A command whose refusal is shown beside what was tried.
   * @param {string} type @param {object} [fields] */
  #command = async (type, fields) => {
    this.#store.set({ refusal: "" });
    try {
      return await this.#wire?.command(type, fields);
    } catch (fault) {
      if (!(fault instanceof Refused)) throw fault;
      this.#store.set({ refusal: fault.message, sent: null });
      announce(fault.message);
    }
  };

  #join = async () => {
    const had = token();
    await ensurePlayer();
    if (had === null) this.#wire?.connect();
    await this.#command("join", inviteOf(this.table) ? { invite: inviteOf(this.table) } : {});
  };

  /** @param {Tagged} move */
  #act = async (move) => {
    const { stream } = this.#store.state;
    this.#store.set({ sent: move });
    const seq = await this.#command("act", { move, seen: stream.seq });
    if (seq === undefined) return;
    if (seq > this.#store.state.stream.seq) this.#sentUntil = seq;
    else this.#store.set({ sent: null, raised: null });
  };

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") this.#store.set({ raised: null });
    if (event.key === "?") document.querySelector("site-header")?.dispatchEvent(new CustomEvent("rules", { detail: this.#store.state.game }));
    this.#after.press(event.key);
    const wanted = elementOfKey(this, event.key.toUpperCase());
    wanted?.focus();
    wanted?.click();
  }

  /** Keep the screen on during a match. */
  async #stayAwake() {
    const isLive = this.#store.state.status?.phase === "Playing" && this.#store.state.seat !== null;
    if (!isLive || this.#wakeLock || !("wakeLock" in navigator) || document.hidden) return;
    this.#wakeLock = {};
    try {
      this.#wakeLock = await navigator.wakeLock.request("screen");
      this.#wakeLock.onrelease = () => (this.#wakeLock = null);
    } catch {
      // not allowed: the screen goes dark as usual
    }
  }

  #needsTime() {
    const { status, here, connection } = this.#store.state;
    if (!status || connection.state !== "open") return connection.state === "waiting";
    const isMissing = status.seats.some((seat) => seat.kind === "person" && !here.includes(seat.player));
    return status.result === null && (Object.keys(status.clocks).length > 0 || status.acksDue !== null || isMissing);
  }

  // showing

  /** @returns {Scene} */
  #scene() {
    const { stream, seat, status, raised, sent, game } = atMoment(this.#store.state);
    return {
      view: stream.view,
      actions: this.#store.state.connection.state === "replaced" ? [] : stream.actions,
      messages: stream.messages,
      seat,
      status: /** @type {TableStatus} */ (status),
      name: (player) => nameOf(player, this.#store.state),
      raised,
      sent,
      raise: (key) => this.#store.set({ raised: key, refusal: "" }),
      act: this.#act,
      goOn: () => this.#wire?.acknowledge(stream.seq),
      memory: this.#memory,
      schemas: game?.schemas ?? {},
    };
  }

  #build() {
    const part = (/** @type {string} */ tag, /** @type {string} */ kind, /** @type {object} */ rest = {}) => h(tag, { class: kind, ...rest });
    const [head, trouble, strip, ask, board, hand, refusal, end] = [
      part("header", "table-head"), part("div", "trouble"), part("ul", "seats", { "aria-label": "Players" }),
      part("p", "ask", { role: "status" }), part("div", "board"), part("div", "hand", { role: "group", "aria-label": "Your choices" }),
      part("p", "refusal", { role: "alert" }), part("section", "ending"),
    ];
    const [sheet, told, text] = [part("section", "sheet"), part("section", "told"), part("details", "in-words")];
    const felt = h("section", { class: "felt on-table", "aria-label": "The table" }, strip, board, ask, refusal, hand, end);
    this.append(head, trouble, h("div", { class: "table-body" }, felt, h("aside", { "aria-label": "What happened" }, sheet, told, text)));

    const store = this.#store;
    store.watch((s) => [s.status, s.game, s.connection, s.seat], (s) => morph(head, this.#head(s)));
    store.watch((s) => s.stream.actions.length > 0 && s.status?.result === null && s.seat !== null, (s) => this.#showTurn(s));
    store.watch((s) => [s.connection, s.problem, s.status, s.here, s.names, s.tick], (s) => morph(trouble, notice(s, () => this.#wire?.connect()), s.status && s.connection.state === "open" ? missing(s, (player) => nameOf(player, s)) : null));
    store.watch((s) => [s.status, s.stream, s.layout, s.names, s.seat, s.raised, s.sent, s.connection.state === "replaced", s.game, s.moment], (s) => this.#guarded(() => this.#showBoard(atMoment(s), felt, strip, board, hand, ask)));
    store.watch((s) => [s.status, s.stream, s.layout, s.names, s.here, s.seat, s.tick, s.connection.state, s.moment], (s) => this.#guarded(() => this.#showSeats(atMoment(s), strip)));
    store.watch((s) => s.stream.seq, (s) => this.setAttribute("data-seq", String(s.stream.seq)));
    store.watch((s) => s.refusal, (s) => morph(refusal, s.refusal));
    store.watch((s) => [s.stream, s.layout, s.names, s.status, s.moment], (s) => this.#guarded(() => this.#showAside(atMoment(s), sheet, told, text)));
    store.watch((s) => [s.status, s.names, s.layout, s.seat, s.moments, s.moment, s.fairness], (s) => morph(end, s.status?.result && s.layout ? ending(s, this.#scene(), this.#command, this.#after) : null));
  }

  /** Show a part of the table. If the layout of the game fails, the generic one takes over, and the match goes on.
   * @param {() => void} show */
  #guarded(show) {
    try {
      show();
    } catch (fault) {
      if (this.#store.state.layout === generic) throw fault;
      console.error("The layout of this game has failed:", fault);
      this.#store.set({ layout: generic });
    }
  }

  /** @param {TableState} state */
  #head({ status, game, connection, seat }) {
    const canResign = seat !== null && status && ["Playing", "Gathering", "Settling"].includes(status.phase);
    return [
      h("h1", null, game?.title ?? "Table"),
      seat === null && status && status.phase !== "Seating" ? h("span", { class: "badge" }, "You are watching") : null,
      connectionBadge(connection),
      h("span", { class: "grow" }),
      game ? h("button", { type: "button", class: "quiet", onclick: () => document.querySelector("site-header")?.dispatchEvent(new CustomEvent("rules", { detail: game })) }, "Rules", h("kbd", null, "?")) : null,
      canResign ? h("details", { class: "menu", key: "resign" }, h("summary", { class: "quiet" }, "Resign"), h("div", { class: "pop" }, h("p", null, "Give the match up?"), h("button", { type: "button", class: "button danger", onclick: () => this.#command("resign") }, "Resign"))) : null,
    ];
  }

  /** @param {TableState} state @param {Element} strip */
  #showSeats(state, strip) {
    if (!state.status) return;
    const isPlaying = state.layout !== null && state.stream.view !== null;
    const scene = this.#scene();
    const toMove = isPlaying && !state.status.result ? (state.layout?.toMove?.(scene) ?? []) : [];
    morph(strip, seats(state, scene, toMove, isPlaying ? (player) => state.layout?.seat?.(scene, player) : () => null));
  }

  /** @param {TableState} state @param {Element} felt @param {Element} strip @param {Element} board @param {Element} hand @param {Element} ask */
  #showBoard(state, felt, strip, board, hand, ask) {
    const { status, layout, stream } = state;
    if (!status || !layout) return;
    const scene = this.#scene();
    felt.classList.toggle("your-turn", scene.actions.length > 0 && !state.sent && !status.result);
    if (status.phase === "Seating" || status.phase === "Closed") {
      morph(board, seating(state, scene, { command: this.#command, join: this.#join }));
      morph(hand);
      morph(ask);
      document.title = `${state.game?.title ?? "Table"} · Turnstile`;
      return;
    }
    moving(felt, () => {
      this.#showSeats(state, strip);
      morph(board, stream.view === null ? null : layout.table?.(scene));
      morph(hand, stream.view === null || status.result ? null : layout.hand?.(scene));
    }, state.isJump);
    const asked = state.moment !== null ? this.#momentWords(scene, layout) : status.result ? "" : stream.view === null ? "The match is about to begin." : (layout.ask?.(scene) ?? waitingWords(state, scene, layout));
    if (ask.textContent !== asked) morph(ask, asked);
    document.title = `${scene.actions.length && !status.result ? "● Your turn" : (state.game?.title ?? "Table")} · Turnstile`;
  }

  /** The icon of the tab says whose turn it is, too.
   * @param {TableState} state */
  #showTurn({ stream, status }) {
    const icon = /** @type {HTMLLinkElement | null} */ (document.querySelector("link[rel=icon]"));
    if (icon) icon.href = (stream.actions.length > 0 && status?.result === null ? icon.dataset.turn : icon.dataset.quiet) ?? icon.href;
  }

  /** @param {TableState} state @param {Element} sheet @param {Element} told @param {Element} text */
  #showAside({ stream, layout, status }, sheet, told, text) {
    if (!status || !layout) return;
    const scene = this.#scene();
    morph(sheet, stream.view === null ? null : layout.sheet?.(scene));
    const all = this.#store.state.stream.told;
    morph(told, all.length ? log(all, (message) => sentenceOf(message, scene, layout), this.#after.links()) : null);
    morph(text, stream.view === null ? null : words(layout.text?.(scene) ?? []));
    announce(this.#momentWords(scene, layout));
    const lines = told.querySelector("ol");
    const current = /** @type {HTMLElement | null | undefined} */ (lines?.querySelector("[aria-current]"));
    if (lines) lines.scrollTop = current ? current.offsetTop - lines.offsetTop - lines.clientHeight / 2 : lines.scrollHeight;
  }

  /** What the update that is shown has told, in sentences.
   * @param {Scene} scene @param {Layout} layout */
  #momentWords(scene, layout) {
    return scene.messages.map((message) => sentenceOf(message, scene, layout)).filter(Boolean).join(" ");
  }
}

/** @param {TableState} state @param {Scene} scene @param {Layout} layout */
function waitingWords(state, scene, layout) {
  if (scene.sent) return "Sent; waiting for the server.";
  const waiting = (layout.toMove?.(scene) ?? []).filter((player) => player !== scene.seat).map(scene.name);
  return waiting.length ? `Waiting for ${waiting.join(" and ")}.` : "Waiting for the other players.";
}
