import assert from "node:assert/strict";
import { test } from "node:test";
import { atMoment, momentsOf, stepBy } from "../../../src/turnstile/web/static/lib/replay.js";

const stream = (seq, view, ...types) => ({ seq, view, messages: types.map((type) => ({ type })), actions: [{ type: "Pick" }], told: [], first: 1 });

test("a moment is an update that shows or tells something", () => {
  const [one, two] = [{ phase: "Picking" }, { phase: "Reveal" }];
  const streams = [stream(1, null, "MatchStarting"), stream(2, one, "MatchStarted"), stream(3, one), stream(4, two), stream(5, two, "MatchEnded")];
  assert.deepEqual(momentsOf(streams).map(({ seq }) => seq), [2, 4, 5]);
});

test("a step back from the present enters the replay, and a step past its end leaves it", () => {
  assert.equal(stepBy(null, -1, 5), 3);
  assert.equal(stepBy(null, 1, 5), null);
  assert.equal(stepBy(3, 1, 5), 4);
  assert.equal(stepBy(4, 1, 5), null);
  assert.equal(stepBy(0, -1, 5), 0);
  assert.equal(stepBy(null, -1, 1), 0);
  assert.equal(stepBy(null, -1, 0), null);
});

test("at a moment the table is as it was, without a result, a clock or a move", () => {
  const moments = [stream(2, { phase: "Picking" }), stream(3, { phase: "Reveal" })];
  const status = { phase: "Finished", result: { how: "played" }, clocks: { ana: 1 }, left: { bo: 2 }, seats: [] };
  const state = { moment: 0, moments, status, stream: moments[1], raised: "card", sent: null, seat: "ana" };
  const shown = atMoment(state);
  assert.deepEqual(shown.stream.view, { phase: "Picking" });
  assert.deepEqual(shown.stream.actions, []);
  assert.deepEqual(shown.status, { ...status, phase: "Playing", result: null, clocks: {}, left: {} });
  assert.equal(shown.raised, null);
  assert.equal(atMoment({ ...state, moment: null }).stream, moments[1]);
});
