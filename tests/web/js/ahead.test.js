import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { Ahead } from "../../../src/turnstile/web/static/table/ahead.js";

const layout = { ahead: (move) => (move.type === "PLAY" ? `card ${move.card}` : null) };
const play = (card) => ({ type: "PLAY", card });
const scene = (...actions) => ({ actions, raised: null, sent: null });
const made = [];
let ahead;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  made.length = 0;
  ahead = new Ahead((move) => made.push(move), () => 0.5);
});

test("a queued card is played on the turn, if it may be", () => {
  ahead.look(scene(), layout, "card 7", true);
  mock.timers.tick(10_000);
  assert.deepEqual(made, []);
  ahead.look(scene(play(7), play(8)), layout, "card 7", true);
  mock.timers.tick(1_000);
  assert.deepEqual(made, [play(7)]);
});

test("a queued card that may not be played is not played", () => {
  ahead.look(scene(play(8), play(9)), layout, "card 7", true);
  mock.timers.tick(10_000);
  assert.deepEqual(made, []);
});

test("a forced card plays itself, but never instantly", () => {
  ahead.look(scene(play(7)), layout, null, true);
  mock.timers.tick(1_000);
  assert.deepEqual(made, []);
  mock.timers.tick(2_000);
  assert.deepEqual(made, [play(7)]);
});

test("only cards play themselves, only if the player wants it, and only while the player does not choose", () => {
  ahead.look(scene({ type: "BET", bet: 0 }), layout, null, true);
  mock.timers.tick(10_000);
  ahead.look(scene(play(7)), layout, null, false);
  mock.timers.tick(10_000);
  ahead.look(scene(play(7), play(8)), layout, null, true);
  mock.timers.tick(10_000);
  ahead.look(scene(play(7)), layout, null, true);
  ahead.look({ ...scene(play(7)), raised: "card 7" }, layout, null, true);
  mock.timers.tick(10_000);
  assert.deepEqual(made, []);
});
