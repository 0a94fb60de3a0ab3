import assert from "node:assert/strict";
import { test } from "node:test";
import { Store } from "../../../src/turnstile/web/static/lib/store.js";

test("a watcher runs at once, and then only when what it selected has changed", () => {
  const store = new Store({ one: 1, two: [1] });
  const seen = [];
  store.watch((state) => state.one, (state) => seen.push(state.one));
  store.set({ two: [2] });
  store.set({ one: 1 });
  store.set({ one: 5 });
  assert.deepEqual(seen, [1, 5]);
});

test("a list is compared item by item, and watchers run in order", () => {
  const store = new Store({ one: 1, two: 2, three: 3 });
  const seen = [];
  store.watch((state) => [state.one, state.two], () => seen.push("pair"));
  store.watch((state) => state.one, () => seen.push("one"));
  store.set({ three: 4 });
  store.set({ one: 0 });
  assert.deepEqual(seen, ["pair", "one", "pair", "one"]);
});

test("the state is frozen", () => {
  const store = new Store({ one: 1 });
  assert.throws(() => (store.state.one = 2), TypeError);
});
