/** One state, and an ordered list of (selector, onChange) pairs: a part of the page runs only if what it selected has changed. */

/** @template {object} State */
export class Store {
  #state;
  /** @type {{select: (state: State) => unknown, onChange: (state: State) => void, last: unknown}[]} */
  #watchers = [];

  /** @param {State} state */
  constructor(state) {
    this.#state = Object.freeze(state);
  }

  get state() {
    return this.#state;
  }

  /** @param {Partial<State>} change */
  set(change) {
    this.#state = Object.freeze({ ...this.#state, ...change });
    for (const watcher of this.#watchers) {
      const now = watcher.select(this.#state);
      if (isSame(now, watcher.last)) continue;
      watcher.last = now;
      watcher.onChange(this.#state);
    }
  }

  /** Run `onChange` now, and whenever what `select` returns has changed. A list is compared item by item.
   * @param {(state: State) => unknown} select
   * @param {(state: State) => void} onChange */
  watch(select, onChange) {
    this.#watchers.push({ select, onChange, last: select(this.#state) });
    onChange(this.#state);
  }
}

/** @param {unknown} one @param {unknown} other */
function isSame(one, other) {
  if (!Array.isArray(one) || !Array.isArray(other)) return Object.is(one, other);
  return one.length === other.length && one.every((each, index) => Object.is(each, other[index]));
}
