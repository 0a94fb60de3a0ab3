/** `<table-screen table="...">`: one table, from its seats to its result. It connects, and folds what the server tells
 * into one state. The parts of the page that show the state are in `parts.js`; what the player does is in `doing.js`. */

/** @import {TableStatus, TablePage, Welcome, Presence} from "../../types/protocol" */
/** @import {ServerFrame} from "../lib/wire.js" */
/** @import {Stream} from "../lib/fold.js" */
/** @import {Scene, Memory} from "./scene.js" */
/** @import {TableState} from "./state.js" */
import generic from "../layouts/generic.js";
import { companionAt, keepFrame } from "../lib/author.js";
import { fold, NOTHING_YET } from "../lib/fold.js";
import { call, loadFor, Problem } from "../lib/http.js";
import { asPlayer, token } from "../lib/me.js";
import { isCalm } from "../lib/motion.js";
import { atMoment, momentsOf } from "../lib/replay.js";
import { go, takeSecret } from "../lib/router.js";
import { isOn } from "../lib/settings.js";
import { Store } from "../lib/store.js";
import { newId, Wire } from "../lib/wire.js";
import { AfterMatch } from "./after.js";
import { Ahead, queuedMove } from "./ahead.js";
import { Awake } from "./awake.js";
import { Doing } from "./doing.js";
import { gamePage } from "./games.js";
import { seenHints } from "./hints.js";
import { dropInvite } from "./invitation.js";
import { elementOfKey } from "./keys.js";
import { newsOf } from "./log.js";
import { nameOf } from "./names.js";
import { lingerMs, Pace } from "./pace.js";
import { buildParts, showIcon } from "./parts.js";
import { layoutOf } from "./scene.js";
import { hear } from "./sounds.js";
import { AT_FIRST, hasEnded } from "./state.js";

const TRY_AGAIN_MS = 3_000;

/** The table of a rematch that the player who opened it has yet to start. */
let rematch = "";

export class TableScreen extends HTMLElement {
  /** @type {Store<TableState>} */
  #store = new Store({ ...AT_FIRST, cameAt: Date.now() });
  /** @type {Wire | null} */
  #wire = null;
  /** @type {Readonly<Stream>} */
  #incoming = NOTHING_YET; // folded, but perhaps not shown yet
  /** @type {Readonly<Stream>[]} */
  #streams = []; // after each update; for the replay, when the match is over
  /** @type {TableStatus | null} */
  #status = null; // the newest one; its result is shown when the updates before it have been shown
  #after = new AfterMatch(this.#store, () => this.table);
  #doing = new Doing(this.#store, { table: () => this.table, wire: () => this.#wire, scene: () => this.#scene() });
  #ahead = new Ahead((move) => void this.#doing.act(move));
  #awake = new Awake();
  #pace = new Pace({ show: (stream) => this.#show(stream), acknowledge: (seq) => this.#wire?.acknowledge(seq), linger: (waiting) => this.#linger(waiting) });
  #top = 0;
  /** @type {Memory} */
  #memory = {};
  #gone = new AbortController();
  #ticking = /** @type {any} */ (null);
  #isLoading = false;

  get table() {
    return this.getAttribute("table") ?? "";
  }

  /** What the player sees now, for the author's panel. */
  get view() {
    return this.#incoming.view;
  }

  connectedCallback() {
    const store = this.#store;
    const { command, join, showQr, dismissHint } = this.#doing;
    const does = { command, join, showQr, dismissHint, connect: () => this.#wire?.connect(), catchUp: () => this.#pace.catchUp() };
    buildParts(this, store, { scene: () => this.#scene(), guarded: (show) => this.#guarded(show), after: this.#after, does });
    hear(store);
    store.watch((s) => [s.stream, s.raised, s.sent, s.queued, s.layout, s.connection.state], (s) => s.layout && s.stream.view && this.#ahead.look(this.#scene(), s.layout, s.queued, isOn("forced")));
    document.addEventListener("visibilitychange", () => this.#look(), { signal: this.#gone.signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal: this.#gone.signal });
    this.#ticking = setInterval(() => this.#needsTime() && store.set({ tick: store.state.tick + 1 }), 500);
    void this.#enter();
  }

  disconnectedCallback() {
    this.#gone.abort();
    this.#wire?.close();
    this.#pace.stop();
    this.#ahead.stop();
    this.#awake.release();
    clearInterval(this.#ticking);
    document.title = "Turnstile";
    showIcon(false);
  }

  // entering

  /** Use the invitation of the address, if there is one; then connect. */
  async #enter() {
    const invite = takeSecret("invite");
    if (invite) await loadFor(this, () => this.#join(invite), (refusal) => this.#store.set({ refusal }));
    if (!this.#gone.signal.aborted) this.#connect();
  }

  /** @param {string} invite */
  async #join(invite) {
    try {
      await asPlayer(() => call("POST", `/api/tables/${this.table}/commands`, { type: "join", id: newId(), invite }));
    } catch (fault) {
      if (!(fault instanceof Problem) || fault.code !== "AlreadySeated") throw fault;
    }
  }

  #connect() {
    this.#wire = new Wire({
      url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/play`,
      table: this.table,
      token: () => companionAt(this.table)?.token ?? token(),
      onFrame: (frame) => this.#take(frame),
      onConnection: (connection) => this.#store.set({ connection }),
    });
    this.#wire.connect();
  }

  /** @param {ServerFrame} frame */
  #take(frame) {
    keepFrame(this.table, frame);
    switch (frame.type) {
      case "welcome":
        return this.#welcome(frame);
      case "status":
        return this.#takeStatus(frame);
      case "update":
        this.#incoming = fold(this.#incoming, frame);
        this.#streams.push(this.#incoming);
        this.setAttribute("data-newest", String(this.#incoming.seq));
        return this.#takeUpdate();
      case "presence":
        return this.#presence(frame);
      case "error":
        if (frame.code !== "FutureAck") this.#store.set({ refusal: frame.message });
    }
  }

  /** @param {Welcome} frame */
  #welcome(frame) {
    if (!frame.resumed || frame.after !== this.#incoming.seq) {
      [this.#incoming, this.#streams] = [NOTHING_YET, []];
      this.#pace.stop();
    }
    this.#top = frame.top;
    this.#store.set({ seat: frame.seat, here: frame.here, skew: frame.now - Date.now() });
  }

  /** Show an update in its turn. What was missed, and what a hidden tab gets, is jumped over. */
  #takeUpdate() {
    const { seq } = this.#incoming;
    if (seq < this.#top) return;
    const isMissed = seq === this.#top && seq !== this.#store.state.stream.seq + 1;
    if (isMissed || document.hidden) this.#pace.jump(this.#incoming);
    else this.#pace.add(this.#incoming);
  }

  /** @param {TableStatus} status */
  #takeStatus(status) {
    const isNews = this.#status !== null && this.#status.successor !== status.successor;
    this.#status = status;
    this.#store.set({ status: this.#shownStatus(this.#store.state.stream) });
    if (!this.#store.state.layout) void this.#loadGame(status.game);
    if (status.seats.some((seat) => seat.kind !== "bot" && !(seat.player in this.#store.state.names))) void this.#loadNames();
    if (status.successor && isNews && this.#store.state.seat !== null) return this.#goOn(status.successor);
    if (status.phase === "Seating" && rematch === this.table && this.#store.state.seat === status.admin) {
      rematch = "";
      void this.#doing.command("start");
    }
    if (status.phase !== "Seating") dropInvite(this.table);
    void this.#awake.keep(this.#isLive());
  }

  /** The status, as far as the updates that are shown have told it: the result comes with the last of them. A match whose
   * rules have changed was closed without one.
   * @param {Readonly<Stream>} stream */
  #shownStatus(stream) {
    const status = this.#status;
    if (!status?.result || status.phase === "Closed" || hasEnded(stream)) return status;
    return { ...status, phase: /** @type {const} */ ("Playing"), result: null, clocks: {} };
  }

  /** All have just agreed to a rematch: go to the next table, and start there. The way back leads past this table; a
   * player who opens it later sees its result.
   * @param {string} successor */
  #goOn(successor) {
    rematch = successor;
    go(`/table/${successor}`, { isReplacing: true });
  }

  /** Show an update. One step is animated; more than one is jumped over.
   * @param {Readonly<Stream>} next */
  #show(next) {
    const { stream, raised, queued, layout } = this.#store.state;
    const isJump = next.seq !== stream.seq + 1 || stream.view === null;
    const isSameChoice = JSON.stringify(stream.actions) === JSON.stringify(next.actions);
    const isAnswered = this.#doing.isAnsweredBy(next.seq);
    const settled = isAnswered ? { sent: null, raised: null, refusal: "", refused: null } : { raised: isSameChoice ? raised : null };
    const ended = hasEnded(next) ? { moments: momentsOf(this.#streams) } : {};
    const isDropped = next.actions.length > 0 && !(layout && queuedMove({ ...this.#scene(), view: next.view, actions: next.actions }, layout, queued));
    this.#store.set({ stream: next, status: this.#shownStatus(next), isJump, ...settled, ...ended, queued: isDropped ? null : queued });
  }

  /** How long what is shown stays before the match goes on. A player who may move needs no time to look.
   * @param {number} waiting */
  #linger(waiting) {
    const { layout, stream, isJump, status, seat, skew } = this.#store.state;
    if (!layout || isJump || document.hidden || stream.actions.length) return 0;
    const due = seat === null ? undefined : status?.clocks[seat];
    const clock = due === undefined ? Infinity : due - skew - Date.now();
    let ms = 0;
    this.#guarded(() => {
      const scene = this.#scene();
      const wanted = layout.linger?.(scene) ?? (newsOf(scene, layout) ? "step" : 0);
      ms = lingerMs(wanted, { isCalm: isCalm(), waiting, clock });
    });
    return ms;
  }

  /** @param {Presence} frame */
  #presence({ player, here: isHere }) {
    const { here, goneSince } = this.#store.state;
    const others = here.filter((each) => each !== player);
    const { [player]: _, ...rest } = goneSince;
    this.#store.set({ here: isHere ? [...others, player] : others, goneSince: isHere ? rest : { ...rest, [player]: Date.now() } });
  }

  /** The layout and the page of the game; asked for again until they are there.
   * @param {string} name */
  async #loadGame(name) {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      const [layout, game] = await Promise.all([layoutOf(name), gamePage(name)]);
      this.#store.set({ layout, game, seenHints: seenHints(name) });
    } catch {
      setTimeout(() => !this.#gone.signal.aborted && void this.#loadGame(name), TRY_AGAIN_MS);
    } finally {
      this.#isLoading = false;
    }
  }

  async #loadNames() {
    try {
      const page = /** @type {TablePage} */ (await call("GET", `/api/tables/${this.table}`));
      this.#store.set({ names: { ...this.#store.state.names, ...page.names } });
    } catch {
      // names come with the next change of the table
    }
  }

  // looking and typing

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {Element} */ (event.target);
    if (target.matches("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") this.#store.set({ raised: null, queued: null });
    if (event.key === "?") document.querySelector("site-header")?.dispatchEvent(new CustomEvent("rules", { detail: this.#store.state.game }));
    if (event.key === " " && this.#pace.isBehind && !target.closest("button, a, summary, [tabindex='0']")) {
      event.preventDefault(); // it would scroll
      this.#pace.catchUp();
    }
    this.#after.press(event.key);
    const wanted = elementOfKey(this, event.key.toUpperCase());
    wanted?.focus();
    wanted?.click();
  }

  /** The tab was shown or hidden. A hidden one has nothing to look at. */
  #look() {
    if (document.hidden) this.#pace.catchUp();
    void this.#awake.keep(this.#isLive());
  }

  #isLive() {
    return this.#store.state.status?.phase === "Playing" && this.#store.state.seat !== null;
  }

  #needsTime() {
    const { status, here, connection } = this.#store.state;
    if (!status || connection.state !== "open") return connection.state === "waiting";
    const isMissing = status.seats.some((seat) => seat.kind === "person" && !here.includes(seat.player));
    return status.result === null && (Object.keys(status.clocks).length > 0 || status.acksDue !== null || isMissing);
  }

  // what the parts of the page get

  /** @returns {Scene} */
  #scene() {
    const { stream, seat, status, raised, sent, refused, queued, game, moment } = atMoment(this.#store.state);
    return {
      view: stream.view,
      actions: this.#store.state.connection.state === "replaced" ? [] : stream.actions,
      messages: stream.messages,
      seat,
      status: /** @type {TableStatus} */ (status),
      name: (player) => nameOf(player, this.#store.state),
      raised,
      sent,
      refused,
      queued,
      raise: (key) => this.#store.set({ raised: key, refusal: "", refused: null }),
      queue: (name) => moment === null && this.#store.set({ queued: name }),
      act: this.#doing.act,
      goOn: () => this.#pace.goOn(),
      memory: this.#memory,
      schemas: game?.schemas ?? {},
    };
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
}
