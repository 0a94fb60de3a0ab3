/** What a player may do after the match: go through the replay, and check whether the deal was fair. */

/** @import {Store} from "../lib/store.js" */
/** @import {TableState} from "./state.js" */
import { Problem } from "../lib/http.js";
import { stepBy } from "../lib/replay.js";
import { recordOf } from "./ending.js";

export class AfterMatch {
  #store;
  #table;

  /** @param {Store<TableState>} store @param {() => string} table */
  constructor(store, table) {
    this.#store = store;
    this.#table = table;
  }

  /** Show a moment of the replay; one step is animated.
   * @param {number | null} moment `null` is the present */
  show = (moment) => {
    const { moment: before, moments } = this.#store.state;
    const distance = (moment ?? moments.length - 1) - (before ?? moments.length - 1);
    this.#store.set({ moment, isJump: Math.abs(distance) !== 1 });
  };

  /** The arrow keys go through the replay.
   * @param {string} key */
  press(key) {
    const steps = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const { moment, moments } = this.#store.state;
    if (steps && moments.length) this.show(stepBy(moment, steps, moments.length));
  }

  /** Fetch the record, and hold it against what this seat was told. */
  check = async () => {
    const { stream, seat } = this.#store.state;
    this.#store.set({ fairness: "checking" });
    try {
      const [{ checkFairness }, record] = await Promise.all([import("../fair/check.js"), recordOf(this.#table())]);
      this.#store.set({ fairness: await checkFairness(record, stream.told.map(({ message }) => message), seat) });
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.#store.set({ fairness: fault.message });
    }
  };

  /** What the log needs to lead from a line to its moment; `null` while the match goes on. */
  links() {
    const { moments, moment } = this.#store.state;
    if (!moments.length) return null;
    const show = (/** @type {number} */ seq) => this.show(moments.findIndex((stream) => stream.seq >= seq));
    return { current: moment === null ? null : moments[moment].seq, show };
  }
}
