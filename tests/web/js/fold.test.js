import assert from "node:assert/strict";
import { test } from "node:test";
import { applyChange, fold, NOTHING_YET } from "../../../src/turnstile/web/static/lib/fold.js";

const update = (seq, rest) => ({ type: "update", seq, messages: [], actions: [], ...rest });

test("a change sets, adds, changes and removes", () => {
  const before = { score: { ana: 1, bo: 2 }, rounds: [1, 2], phase: "Picking" };
  const change = { in: { score: { in: { ana: { set: 3 }, bo: { gone: true } } }, rounds: { in: { 0: { set: 9 } }, add: [3] }, taken: { set: null } } };
  assert.deepEqual(applyChange(before, change), { score: { ana: 3 }, rounds: [9, 2, 3], phase: "Picking", taken: null });
  assert.deepEqual(before, { score: { ana: 1, bo: 2 }, rounds: [1, 2], phase: "Picking" });
});

test("no change returns the same value, and parts that have not changed stay the same", () => {
  const before = { score: { ana: 1 }, phase: "Picking" };
  assert.equal(applyChange(before, {}), before);
  assert.equal(applyChange(before, { in: { phase: { set: "Reveal" } } }).score, before.score);
});

test("a field called __proto__ is only a field", () => {
  const change = JSON.parse('{"in": {"__proto__": {"set": {"evil": true}}}}');
  const after = applyChange({ ana: 1 }, change);
  assert.deepEqual(Object.keys(after), ["ana", "__proto__"]);
  assert.equal(after.evil, undefined);
});

test("the stream keeps what was told, and is frozen", () => {
  let stream = fold(NOTHING_YET, update(1, { messages: [{ type: "MatchStarting" }], view: null }));
  stream = fold(stream, update(2, { changed: { set: { hand: ["E"] } }, actions: [{ type: "Pick", card: "E" }] }));
  stream = fold(stream, update(3, { messages: [{ type: "PairRevealed" }], changed: { in: { hand: { set: [] } } } }));
  assert.deepEqual(stream.told.map(({ seq, message }) => [seq, message.type]), [[1, "MatchStarting"], [3, "PairRevealed"]]);
  assert.deepEqual(stream.view, { hand: [] });
  assert.deepEqual(stream.actions, []);
  assert.throws(() => stream.view.hand.push("S"), TypeError);
  assert.throws(() => (stream.seq = 9), TypeError);
});
