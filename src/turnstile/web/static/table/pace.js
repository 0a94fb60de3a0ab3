/** How fast a match goes by. Updates are shown one after the other, and each stays long enough to be seen before it is
 * acknowledged and the next one follows. A page that is behind jumps to the newest update instead. */

/** @import {Stream} from "../lib/fold.js" */

/** @typedef {object} Options
 * @property {(stream: Readonly<Stream>) => void} show
 * @property {(seq: number) => void} acknowledge
 * @property {(waiting: number) => number} linger how long what is shown now stays, in milliseconds; `waiting`: how many updates follow already */

/** The most updates that wait to be shown. A page with more of them is behind. */
const MOST_WAITING = 40;

export class Pace {
  #options;
  /** @type {Readonly<Stream>[]} */
  #waiting = [];
  #shown = 0;
  #timer = /** @type {any} */ (null);

  /** @param {Options} options */
  constructor(options) {
    this.#options = options;
  }

  /** Whether updates wait to be shown. */
  get isBehind() {
    return this.#waiting.length > 0;
  }

  /** Show an update when its turn comes.
   * @param {Readonly<Stream>} stream */
  add(stream) {
    this.#waiting.push(stream);
    if (this.#waiting.length > MOST_WAITING) this.catchUp();
    else if (this.#timer === null) this.#showNext();
  }

  /** Show an update at once, and none of those that wait.
   * @param {Readonly<Stream>} stream */
  jump(stream) {
    this.stop();
    this.#show(stream);
    this.#options.acknowledge(stream.seq);
  }

  /** Jump to the newest update, if any wait. */
  catchUp() {
    const newest = this.#waiting.at(-1);
    if (newest) this.jump(newest);
  }

  /** What is shown has been seen: acknowledge it, and show the next one. */
  goOn() {
    this.#stopTimer();
    this.#options.acknowledge(this.#shown);
    this.#showNext();
  }

  /** Forget the updates that wait. */
  stop() {
    this.#stopTimer();
    this.#waiting = [];
  }

  #showNext() {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      this.#show(next);
      const ms = this.#options.linger(this.#waiting.length);
      if (ms > 0) {
        this.#timer = setTimeout(() => this.goOn(), ms);
        return;
      }
      this.#options.acknowledge(next.seq);
    }
  }

  /** @param {Readonly<Stream>} stream */
  #show(stream) {
    this.#shown = stream.seq;
    this.#options.show(stream);
  }

  #stopTimer() {
    clearTimeout(this.#timer);
    this.#timer = null;
  }
}

// how long

const STEP_MS = 600;
const LOOK_MS = 1_500;
const SHORT_MS = 100;
const MANY_WAITING = 6;
const LEAST_CLOCK_MS = 15_000;

/** How long an update stays, in milliseconds.
 * @param {number | "step" | "look"} wanted what the layout asks for
 * @param {{isCalm: boolean, waiting: number, clock: number}} around `isCalm`: with reduced motion; `clock`: what is left on the player's own clock */
export function lingerMs(wanted, { isCalm, waiting, clock }) {
  if (typeof wanted === "number") return wanted;
  if (clock < LEAST_CLOCK_MS) return 0;
  const ms = isCalm ? SHORT_MS : wanted === "look" ? LOOK_MS : STEP_MS;
  return waiting > MANY_WAITING ? ms / 2 : ms;
}
