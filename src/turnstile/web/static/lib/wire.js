/** The socket of one table: it says hello, goes on after the newest update, keeps commands until they are answered, and
 * connects again by itself. It knows frames, and nothing of games or of the page. */

/** @import {Welcome, TableChanged, SeatUpdate, AnswerFrame, Presence, Ping, ErrorFrame, Bye, ErrorDetails} from "../../types/protocol" */
/** @typedef {Welcome | TableChanged | SeatUpdate | AnswerFrame | Presence | Ping | ErrorFrame | Bye} ServerFrame */
/** @typedef {"connecting" | "open" | "waiting" | "offline" | "replaced" | "stopped"} LineState
 * `waiting`: for the next attempt; `replaced`: another tab or device has taken the seat; `stopped`: it will not try again */
/** @typedef {{state: LineState, text: string, code: number}} Connection */
/** @typedef {Pick<WebSocket, "send" | "close" | "onopen" | "onmessage" | "onclose">} Socket */
/** @typedef {object} Surroundings what the wire needs from the browser; tests bring their own
 * @property {(url: string) => Socket} open
 * @property {() => boolean} isHidden
 * @property {() => boolean} isOnline
 * @property {(changed: () => void) => () => void} listen call back when the tab is shown or hidden, or the network comes or goes
 * @property {(run: () => void, ms: number) => any} later
 * @property {(timer: any) => void} cancel
 * @property {() => number} random
 * @property {() => string} newId */
/** @typedef {object} Options
 * @property {string} url
 * @property {string} table
 * @property {() => string | null} token
 * @property {(frame: ServerFrame) => void} onFrame every frame in order; each update exactly once
 * @property {(connection: Connection) => void} onConnection
 * @property {Surroundings} [surroundings] */
/** @typedef {{type: string, id: string, [field: string]: unknown}} Command */
/** @typedef {{frame: Command, tries: number, timer: any, resolve: (seq: number) => void, reject: (fault: Refused) => void}} Waiting */

const VERSION = 1;
const ASK_AGAIN_MS = 4_000; // a command without an answer
const MOST_TRIES = 3; // then the line counts as dead
const GATE_MS = 250; // a gated table waits for other players' acknowledgements
const MOST_GATE_TRIES = 120;
const PROBE_MS = 3_000;
const HELLO_MS = 8_000;
const SHORTEST_MS = 250;
const LONGEST_MS = 10_000;

/** A command that was refused: its code is for programs, its sentence for people. */
export class Refused extends Error {
  /** @param {ErrorDetails} details */
  constructor(details) {
    super(details.message);
    this.code = details.code;
  }
}

export class Wire {
  #options;
  #around;
  /** @type {Socket | null} */
  #socket = null;
  #number = 0; // of the connection: the late end of an old one must not touch the new one
  #last = 0;
  #history = /** @type {string | null} */ (null); // of the newest update: it tells a restored table from the old one
  #acknowledged = 0;
  #isWelcome = false;
  #isSeated = false;
  #attempts = 0;
  #beatMs = 20_000;
  #usedToken = /** @type {string | null} */ (null);
  /** @type {Bye | null} */
  #bye = null;
  /** @type {Map<string, Waiting>} */
  #commands = new Map();
  #retryTimer = /** @type {any} */ (null);
  #deadTimer = /** @type {any} */ (null);
  #stopListening;
  /** @type {Connection} */
  connection = { state: "connecting", text: "", code: 0 };

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
    this.#around = options.surroundings ?? browser();
    this.#stopListening = this.#around.listen(() => this.#lookAround());
  }

  get last() {
    return this.#last;
  }

  // connecting

  /** Connect, or connect again at once. */
  connect() {
    this.#drop();
    this.#around.cancel(this.#retryTimer);
    if (!this.#around.isOnline()) return this.#tell("offline", "You are offline.");
    const number = ++this.#number;
    this.#bye = null;
    this.#tell("connecting", "");
    const socket = (this.#socket = this.#around.open(this.#options.url));
    socket.onopen = () => number === this.#number && this.#hello();
    socket.onmessage = (event) => number === this.#number && this.#take(JSON.parse(event.data));
    socket.onclose = (event) => number === this.#number && this.#closed(this.#bye?.code ?? event.code);
    this.#expect(HELLO_MS);
  }

  /** End the connection for good. */
  close() {
    this.#stopListening();
    this.#around.cancel(this.#retryTimer);
    for (const waiting of this.#commands.values()) this.#around.cancel(waiting.timer);
    this.#commands.clear();
    this.#drop();
  }

  #drop() {
    const socket = this.#socket;
    this.#socket = null;
    this.#isWelcome = false;
    this.#number += 1;
    this.#around.cancel(this.#deadTimer);
    socket?.close();
  }

  #hello() {
    this.#usedToken = this.#options.token();
    const token = this.#usedToken === null ? {} : { token: this.#usedToken };
    const history = this.#history === null ? {} : { history: this.#history };
    this.#send({ type: "hello", v: VERSION, table: this.#options.table, last: this.#last, ...history, ...token });
  }

  /** @param {number} code */
  #closed(code) {
    const bye = this.#bye;
    this.#drop();
    const kind = Math.floor(code / 100);
    if (code === 4009) return this.#tell("replaced", bye?.text ?? "", code);
    if (code === 4202 && this.#options.token() === this.#usedToken) return this.#tell("stopped", bye?.text ?? "", code);
    if (kind === 40) return this.#tell("stopped", bye?.text ?? "The table cannot be reached.", code);
    this.#retry(kind === 42 && this.#attempts < 3 ? 0 : (bye?.retryMs ?? 0), bye?.text ?? "");
  }

  /** Try again later, at random within a time that doubles; a hidden tab waits until it is shown.
   * @param {number} least @param {string} text */
  #retry(least, text) {
    const most = Math.min(LONGEST_MS, SHORTEST_MS * 2 ** this.#attempts);
    this.#attempts += 1;
    if (!this.#around.isOnline()) return this.#tell("offline", "You are offline.");
    this.#tell("waiting", text);
    if (this.#around.isHidden()) return;
    this.#around.cancel(this.#retryTimer);
    const wait = Math.max(Math.min(least, LONGEST_MS), this.#around.random() * most);
    this.#retryTimer = this.#around.later(() => this.connect(), wait);
  }

  /** The tab was shown or hidden, or the network has come or gone. */
  #lookAround() {
    const { state } = this.connection;
    if (state === "stopped" || state === "replaced") return;
    if (!this.#around.isOnline()) {
      this.#drop();
      return this.#tell("offline", "You are offline.");
    }
    if (this.#around.isHidden()) return this.#around.cancel(this.#deadTimer);
    if (state === "open") {
      this.#hello(); // its answer shows that the line is alive
      return this.#expect(PROBE_MS);
    }
    if (state !== "connecting") this.#attempts = 0;
    if (state !== "connecting") this.connect();
  }

  /** The line is dead if no frame comes within this time.
   * @param {number} ms */
  #expect(ms) {
    this.#around.cancel(this.#deadTimer);
    if (this.#around.isHidden() && this.#isWelcome) return;
    this.#deadTimer = this.#around.later(() => {
      this.#drop();
      this.#retry(0, "The server does not answer.");
    }, ms);
  }

  /** @param {LineState} state @param {string} text */
  #tell(state, text, code = 0) {
    this.connection = Object.freeze({ state, text, code });
    this.#options.onConnection(this.connection);
  }

  // frames

  /** @param {ServerFrame} frame */
  #take(frame) {
    if (frame.type === "welcome") this.#welcome(frame);
    this.#expect(this.#isWelcome ? this.#beatMs * 2.5 : HELLO_MS);
    if (frame.type === "update") {
      if (frame.seq <= this.#last) return;
      if (frame.seq > this.#last + 1 && this.#last > 0 && !("view" in frame)) return this.#hello();
      this.#last = frame.seq;
      this.#history = frame.history;
    }
    if (frame.type === "ping") {
      if (frame.top > this.#last) return this.#hello();
      return this.#send({ type: "pong" });
    }
    if (frame.type === "bye") this.#bye = frame;
    if (frame.type === "answer") this.#answer(frame);
    this.#options.onFrame(frame);
  }

  /** @param {Welcome} frame */
  #welcome(frame) {
    this.#isWelcome = true;
    this.#isSeated = frame.seat !== null;
    this.#beatMs = frame.beat * 1000;
    this.#attempts = 0;
    if (!frame.resumed || frame.after !== this.#last) this.#history = null;
    this.#last = frame.after;
    this.#acknowledged = Math.min(this.#acknowledged, frame.after);
    if (this.#isSeated && this.#acknowledged) this.#send({ type: "ack", upto: this.#acknowledged }); // it may be lost
    this.#tell("open", "");
    for (const waiting of this.#commands.values()) this.#say(waiting);
  }

  /** @param {object} frame */
  #send(frame) {
    try {
      this.#socket?.send(JSON.stringify(frame));
    } catch {
      // the socket has just ended; its end is handled there
    }
  }

  /** All updates up to this one have been shown.
   * @param {number} upto */
  acknowledge(upto) {
    if (!this.#isWelcome || !this.#isSeated || upto <= this.#acknowledged) return;
    this.#acknowledged = upto;
    this.#send({ type: "ack", upto });
  }

  // commands

  /** Send a command, and send it again until it is answered. Raises `Refused`.
   * @param {string} type
   * @param {object} [fields]
   * @returns {Promise<number>} the number of the newest update */
  command(type, fields = {}) {
    return new Promise((resolve, reject) => {
      this.#keep({ frame: { type, id: this.#around.newId(), ...fields }, tries: 0, timer: null, resolve, reject });
    });
  }

  /** Whether a command has no answer yet. */
  get isBusy() {
    return this.#commands.size > 0;
  }

  /** @param {Waiting} waiting */
  #keep(waiting) {
    this.#commands.set(waiting.frame.id, waiting);
    if (this.#isWelcome) this.#say(waiting);
  }

  /** @param {Waiting} waiting */
  #say(waiting) {
    this.#send(waiting.frame);
    this.#around.cancel(waiting.timer);
    waiting.timer = this.#around.later(() => this.#askAgain(waiting), ASK_AGAIN_MS);
  }

  /** @param {Waiting} waiting */
  #askAgain(waiting) {
    if (!this.#isWelcome) return;
    waiting.tries += 1;
    if (waiting.tries % MOST_TRIES) return this.#say(waiting);
    this.#drop();
    this.#retry(0, "The server does not answer.");
  }

  /** @param {AnswerFrame} frame */
  #answer(frame) {
    const waiting = this.#commands.get(frame.id);
    if (!waiting) return;
    this.#commands.delete(frame.id);
    this.#around.cancel(waiting.timer);
    if (!frame.error) return waiting.resolve(frame.seq);
    if (frame.error.code === "AcksMissing" && waiting.tries < MOST_GATE_TRIES) {
      const again = { ...waiting, frame: { ...waiting.frame, id: this.#around.newId() }, tries: waiting.tries + 1 };
      this.#commands.set(again.frame.id, again);
      again.timer = this.#around.later(() => this.#isWelcome && this.#say(again), GATE_MS);
      return;
    }
    waiting.reject(new Refused(frame.error));
  }
}

/** @returns {Surroundings} */
function browser() {
  return {
    open: (url) => new WebSocket(url),
    isHidden: () => document.hidden,
    isOnline: () => navigator.onLine,
    listen(changed) {
      const stop = new AbortController();
      document.addEventListener("visibilitychange", changed, { signal: stop.signal });
      for (const name of ["online", "offline", "pageshow"]) addEventListener(name, changed, { signal: stop.signal });
      return () => stop.abort();
    },
    later: (run, ms) => setTimeout(run, ms),
    cancel: (timer) => clearTimeout(timer),
    random: Math.random,
    newId,
  };
}

/** An id that no other command has. `crypto.randomUUID` is missing on pages without TLS. */
export function newId() {
  return [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
