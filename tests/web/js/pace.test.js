import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { lingerMs, Pace } from "../../../src/turnstile/web/static/table/pace.js";

const happened = [];
const lingers = {};
let pace;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  happened.length = 0;
  for (const seq of Object.keys(lingers)) delete lingers[seq];
  let shown = 0;
  pace = new Pace({
    show: ({ seq }) => happened.push(`show ${(shown = seq)}`),
    acknowledge: (seq) => happened.push(`ack ${seq}`),
    linger: () => lingers[shown] ?? 0,
  });
});

const add = (...seqs) => seqs.forEach((seq) => pace.add({ seq }));

test("an update that needs no time is acknowledged at once", () => {
  add(1, 2);
  assert.deepEqual(happened, ["show 1", "ack 1", "show 2", "ack 2"]);
});

test("an update stays for its time, and only then is it acknowledged and the next one shown", () => {
  Object.assign(lingers, { 1: 500, 2: 300 });
  add(1, 2, 3);
  mock.timers.tick(499);
  assert.deepEqual(happened, ["show 1"]);
  mock.timers.tick(1);
  assert.deepEqual(happened, ["show 1", "ack 1", "show 2"]);
  mock.timers.tick(300);
  assert.deepEqual(happened.slice(3), ["ack 2", "show 3", "ack 3"]);
});

test("a player who goes on need not wait", () => {
  lingers[1] = 20_000;
  add(1, 2);
  pace.goOn();
  assert.deepEqual(happened, ["show 1", "ack 1", "show 2", "ack 2"]);
  mock.timers.tick(30_000);
  assert.equal(happened.length, 4);
});

test("who catches up sees the newest update, and nothing twice", () => {
  lingers[1] = 500;
  add(1, 2, 3);
  pace.catchUp();
  mock.timers.tick(5_000);
  assert.deepEqual(happened, ["show 1", "show 3", "ack 3"]);
  pace.catchUp();
  assert.equal(happened.length, 3);
});

test("a page that is far behind jumps", () => {
  lingers[1] = 500;
  add(...Array.from({ length: 42 }, (_, index) => index + 1));
  assert.deepEqual(happened, ["show 1", "show 42", "ack 42"]);
});

test("a table that is left shows nothing more", () => {
  lingers[1] = 500;
  add(1, 2);
  pace.stop();
  mock.timers.tick(5_000);
  assert.deepEqual(happened, ["show 1"]);
});

test("steps are short with reduced motion, and with little time on the clock there are none; reading time always holds", () => {
  const around = { isCalm: false, waiting: 0, clock: Infinity };
  const [step, look] = [lingerMs("step", around), lingerMs("look", around)];
  assert.ok(step >= 400 && look > step);
  assert.ok(lingerMs("look", { ...around, isCalm: true }) <= 150);
  assert.ok(lingerMs("step", { ...around, waiting: 10 }) < step);
  assert.equal(lingerMs("step", { ...around, clock: 5_000 }), 0);
  assert.equal(lingerMs(1_800, { isCalm: true, waiting: 10, clock: 5_000 }), 1_800);
});
