import assert from "node:assert/strict";
import { test } from "node:test";
import { Refused, Wire } from "../../../src/turnstile/web/static/lib/wire.js";

/** A browser in which nothing happens by itself: sockets, time and chance are in the hands of the test. */
class World {
  sockets = [];
  timers = [];
  now = 0;
  isHidden = false;
  isOnline = true;
  token = "secret";
  frames = [];
  states = [];
  ids = 0;

  constructor() {
    this.wire = new Wire({
      url: "ws://here",
      table: "t1",
      token: () => this.token,
      onFrame: (frame) => this.frames.push(frame),
      onConnection: ({ state }) => this.states.push(state),
      surroundings: {
        open: () => this.#open(),
        isHidden: () => this.isHidden,
        isOnline: () => this.isOnline,
        listen: (changed) => ((this.look = changed), () => {}),
        later: (run, ms) => this.timers.push({ run, at: this.now + ms, isOn: true }) - 1,
        cancel: (timer) => timer !== null && timer !== undefined && (this.timers[timer].isOn = false),
        random: () => 0.5,
        newId: () => `c${++this.ids}`,
      },
    });
    this.wire.connect();
  }

  #open() {
    const socket = { sent: [], isClosed: false, send: (text) => socket.sent.push(JSON.parse(text)), close: () => (socket.isClosed = true) };
    this.sockets.push(socket);
    return socket;
  }

  get socket() {
    return this.sockets.at(-1);
  }

  get state() {
    return this.wire.connection.state;
  }

  say(frame, socket = this.socket) {
    socket.onmessage({ data: JSON.stringify(frame) });
  }

  welcome(rest = {}) {
    this.socket.onopen();
    this.say({ type: "welcome", v: 1, table: "t1", seat: "ana", after: 0, top: 0, now: 0, beat: 20, here: [], resumed: true, ...rest });
  }

  update(seq, rest = {}) {
    this.say({ type: "update", seq, history: `h${seq}`, messages: [], actions: [], ...rest });
  }

  /** Let time pass. */
  pass(ms) {
    const until = this.now + ms;
    for (;;) {
      const next = this.timers.filter((timer) => timer.isOn && timer.at <= until).sort((one, other) => one.at - other.at)[0];
      if (!next) break;
      this.now = next.at;
      next.isOn = false;
      next.run();
    }
    this.now = until;
  }

  close(code, socket = this.socket) {
    socket.onclose({ code });
  }

  get updates() {
    return this.frames.filter((frame) => frame.type === "update").map((frame) => frame.seq);
  }
}

test("it says hello, and goes on after the newest update", () => {
  const world = new World();
  world.welcome({ top: 2 });
  assert.deepEqual(world.socket.sent, [{ type: "hello", v: 1, table: "t1", last: 0, token: "secret" }]);
  world.update(1, { view: null });
  world.update(2, { changed: {} });
  world.close(1006);
  assert.equal(world.state, "waiting");
  world.pass(1000);
  world.welcome({ after: 2, top: 3 });
  assert.equal(world.socket.sent[0].last, 2);
  assert.equal(world.socket.sent[0].history, "h2");
  world.update(3, { view: {} });
  assert.deepEqual(world.updates, [1, 2, 3]);
});

test("an update is told once, and a gap is asked for on the same socket", () => {
  const world = new World();
  world.welcome();
  world.update(1, { view: {} });
  world.update(1, { view: {} });
  world.update(3, { changed: {} });
  assert.deepEqual(world.updates, [1]);
  assert.equal(world.sockets.length, 1);
  assert.deepEqual(world.socket.sent.at(-1), { type: "hello", v: 1, table: "t1", last: 1, history: "h1", token: "secret" });
  world.welcome({ after: 1, top: 3 });
  world.update(2, { view: {} });
  world.update(3, { changed: {} });
  assert.deepEqual(world.updates, [1, 2, 3]);
});

test("a command is sent again after a break with the same id, and answered once", async () => {
  const world = new World();
  world.welcome();
  const answer = world.wire.command("act", { move: { type: "Pick" } });
  const first = world.socket.sent.at(-1);
  world.close(1006);
  world.pass(1000);
  world.welcome();
  assert.deepEqual(world.socket.sent.at(-1), first);
  world.say({ type: "answer", id: first.id, seq: 4 });
  assert.equal(await answer, 4);
  assert.equal(world.wire.isBusy, false);
});

test("a command before the welcome waits for it", () => {
  const world = new World();
  void world.wire.command("start");
  assert.deepEqual(world.socket.sent, []);
  world.welcome();
  assert.deepEqual(world.socket.sent.map((frame) => frame.type), ["hello", "start"]);
});

test("a command without an answer is asked for again, and then the line counts as dead", () => {
  const world = new World();
  world.welcome();
  void world.wire.command("resign");
  world.pass(4000);
  assert.deepEqual(world.socket.sent.map((frame) => frame.type), ["hello", "resign", "resign"]);
  world.pass(9000);
  assert.equal(world.sockets[0].isClosed, true);
  assert.ok(world.sockets.length > 1);
});

test("a refusal is raised with its code and sentence", async () => {
  const world = new World();
  world.welcome();
  const answer = world.wire.command("act", { move: {} });
  world.say({ type: "answer", id: "c1", seq: 2, error: { code: "NotYourTurn", message: "It is not your turn." } });
  await assert.rejects(answer, (fault) => fault instanceof Refused && fault.code === "NotYourTurn" && fault.message === "It is not your turn.");
});

test("a move at a gate is tried again until the others have acknowledged", async () => {
  const world = new World();
  world.welcome();
  const answer = world.wire.command("act", { move: {} });
  world.say({ type: "answer", id: "c1", seq: 2, error: { code: "AcksMissing", message: "Not all have it yet." } });
  world.pass(300);
  assert.equal(world.socket.sent.at(-1).id, "c2");
  world.say({ type: "answer", id: "c2", seq: 3 });
  assert.equal(await answer, 3);
});

test("acknowledgements go forward only, and spectators send none", () => {
  const world = new World();
  world.welcome({ top: 2 });
  world.update(1, { view: {} });
  world.wire.acknowledge(1);
  world.wire.acknowledge(1);
  assert.deepEqual(world.socket.sent.filter((frame) => frame.type === "ack"), [{ type: "ack", upto: 1 }]);
  const other = new World();
  other.welcome({ seat: null });
  other.update(1, { view: {} });
  other.wire.acknowledge(1);
  assert.equal(other.socket.sent.length, 1);
});

test("what was acknowledged on a line that broke is acknowledged again", () => {
  const world = new World();
  world.welcome({ top: 1 });
  world.update(1, { view: {} });
  world.wire.acknowledge(1);
  world.close(1006);
  world.pass(1000);
  world.welcome({ after: 1, top: 1 });
  assert.deepEqual(world.socket.sent.at(-1), { type: "ack", upto: 1 });
});

for (const [code, state] of [[4009, "replaced"], [4004, "stopped"], [4001, "stopped"], [4099, "stopped"]])
  test(`close code ${code}: it does not try again`, () => {
    const world = new World();
    world.welcome();
    world.say({ type: "bye", code, retryMs: 0, text: "Because." });
    world.close(1006);
    world.pass(600_000);
    assert.equal(world.state, state);
    assert.equal(world.wire.connection.text, "Because.");
    assert.equal(world.sockets.length, 1);
  });

test("41xx: it waits at least as long as it was told, and longer each time", () => {
  const world = new World();
  world.welcome();
  world.say({ type: "bye", code: 4100, retryMs: 1000, text: "Stopping." });
  world.close(4100);
  world.pass(999);
  assert.equal(world.sockets.length, 1);
  world.pass(1);
  assert.equal(world.sockets.length, 2);
  const opened = [];
  for (let tries = 0; tries < 9; tries += 1) {
    const before = world.now;
    world.close(1006);
    while (world.state === "waiting") world.pass(25);
    opened.push(world.now - before);
  }
  assert.ok(opened[0] < 1000 && opened.at(-1) >= 4000 && opened.at(-1) <= 10_000, String(opened));
});

test("42xx: it connects again at once", () => {
  const world = new World();
  world.welcome();
  world.close(4200);
  world.pass(250);
  assert.equal(world.sockets.length, 2);
});

test("4202: with a new token it goes on, with the old one it stops", () => {
  const world = new World();
  world.welcome();
  world.token = "newer";
  world.close(4202);
  world.pass(250);
  world.welcome();
  assert.equal(world.socket.sent[0].token, "newer");
  world.close(4202);
  world.pass(60_000);
  assert.equal(world.state, "stopped");
});

test("a hidden tab does not try again until it is shown", () => {
  const world = new World();
  world.welcome();
  world.isHidden = true;
  world.look();
  world.close(1006);
  world.pass(600_000);
  assert.equal(world.sockets.length, 1);
  world.isHidden = false;
  world.look();
  assert.equal(world.sockets.length, 2);
});

test("offline is said at once, and online connects at once", () => {
  const world = new World();
  world.welcome();
  world.isOnline = false;
  world.look();
  assert.equal(world.state, "offline");
  world.isOnline = true;
  world.look();
  assert.equal(world.state, "connecting");
  assert.equal(world.sockets.length, 2);
});

test("a tab that is shown again asks whether the line is alive, and gives it three seconds", () => {
  const world = new World();
  world.welcome();
  world.look();
  assert.equal(world.socket.sent.at(-1).type, "hello");
  world.pass(3000);
  assert.equal(world.sockets[0].isClosed, true);
  world.pass(1000);
  assert.equal(world.sockets.length, 2);
});

test("a silent server is noticed after two and a half beats, and a ping is answered", () => {
  const world = new World();
  world.welcome();
  world.pass(40_000);
  world.say({ type: "ping", top: 0 });
  assert.deepEqual(world.socket.sent.at(-1), { type: "pong" });
  world.pass(49_000);
  assert.equal(world.state, "open");
  world.pass(2_000);
  assert.notEqual(world.state, "open");
});

test("the late end of an old connection does not touch the new one", () => {
  const world = new World();
  world.welcome();
  const old = world.socket;
  world.wire.connect();
  world.welcome();
  world.close(4009, old);
  world.say({ type: "update", seq: 1, view: {}, messages: [], actions: [] }, old);
  assert.equal(world.state, "open");
  assert.deepEqual(world.updates, []);
});

test("another stream is not spliced onto the old one", () => {
  const world = new World();
  world.welcome({ top: 5 });
  for (const seq of [1, 2, 3]) world.update(seq, { view: {} });
  world.close(4200);
  world.pass(250);
  world.welcome({ after: 0, top: 2, resumed: false });
  world.update(1, { view: {} });
  world.update(2, { changed: {} });
  assert.deepEqual(world.updates, [1, 2, 3, 1, 2]);
});

test("a closed wire stays closed", () => {
  const world = new World();
  world.welcome();
  world.wire.close();
  world.pass(600_000);
  assert.equal(world.sockets.length, 1);
  assert.equal(world.socket.isClosed, true);
});
