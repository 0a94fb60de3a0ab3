/** What a player may do after the match: go through the replay, check whether the deal was fair, and save the record. */

/** @import {Store} from "../lib/store.js" */
/** @import {TableState} from "./state.js" */
import { h } from "../lib/dom.js";
import { call, Problem } from "../lib/http.js";
import { stepBy } from "../lib/replay.js";

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
  check = () => this.#tell("checking", async () => {
    const { stream, seat } = this.#store.state;
    const [{ checkFairness }, record] = await Promise.all([import("../fair/check.js"), this.#record()]);
    return checkFairness(record, stream.told.map(({ message }) => message), seat);
  });

  /** Save the record as a file. The token goes in a header, so a plain link is not enough. */
  download = () => this.#tell(this.#store.state.fairness, async () => {
    const file = new Blob([await this.#record()], { type: "application/x-ndjson" });
    const link = h("a", { href: URL.createObjectURL(file), download: `${this.#table()}.jsonl` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    return this.#store.state.fairness;
  });

  /** The record of the table. Raises `Problem`.
   * @returns {Promise<string>} */
  #record() {
    return call("GET", `/api/tables/${this.#table()}/record`);
  }

  /** Show what an action finds below the result, or why it has failed.
   * @param {TableState["fairness"]} meanwhile @param {() => Promise<TableState["fairness"]>} action */
  async #tell(meanwhile, action) {
    this.#store.set({ fairness: meanwhile });
    try {
      this.#store.set({ fairness: await action() });
    } catch (fault) {
      this.#store.set({ fairness: fault instanceof Problem ? fault.message : "That did not work; try again." });
      if (!(fault instanceof Problem) && navigator.onLine) throw fault;
    }
  }

  /** What the log needs to lead from a line to its moment; `null` while the match goes on. */
  links() {
    const { moments, moment } = this.#store.state;
    if (!moments.length) return null;
    const show = (/** @type {number} */ seq) => this.show(moments.findIndex((stream) => stream.seq >= seq));
    return { current: moment === null ? null : moments[moment].seq, show };
  }
}
