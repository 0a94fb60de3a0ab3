// Players for the server next door: node client.js URL TABLES SECONDS RATE WARM_UP
// It says "ready" when all are connected, "begin" and "end" around what is measured, and then what it has seen.

const { io } = require("socket.io-client");

const [url, ...numbers] = process.argv.slice(2);
const [tables, seconds, rate, warmUp] = numbers.map(Number);
const AT_ONCE = 32;
const SILENCE = 1000; // milliseconds

const sentAt = new Map(); // when a move was sent, by match, player and number of the move
const delays = { mover: [], others: [] };
let isMeasuring = false;
let moves = 0;
let matches = 0;
let nextSlot = 0;

const say = (event, fields = {}) =>
  new Promise((resolve) => process.stdout.write(JSON.stringify({ event, ...fields }) + "\n", resolve));
const now = () => performance.now();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const headers = { "Content-Type": "application/json" };

async function post(path, body) {
  const response = await fetch(`${url}/games/e-card/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  return response.json();
}

async function newMatch() {
  const { matchID } = await post("create", { numPlayers: 2 });
  const credentials = [];
  for (const playerID of ["0", "1"]) {
    // One after the other: with the file store, the second of two at once would undo the first.
    const joined = await post(`${matchID}/join`, { playerID, playerName: playerID });
    credentials.push(joined.playerCredentials);
  }
  return { matchID, credentials };
}

function pace() {
  // A pace for all players together: so many moves a second.
  if (!rate) return 0;
  nextSlot = Math.max(now(), nextSlot + 1000 / rate);
  return nextSlot - now();
}

class Player {
  constructor(table, id) {
    this.table = table;
    this.id = id;
    this.acted = -1;
    this.socket = io(`${url}/e-card`, { transports: ["websocket"], forceNew: true, reconnection: false });
    this.ready = new Promise((resolve) => this.socket.on("connect", resolve));
    this.socket.on("sync", (matchID, info) => this.take(matchID, info.state));
    this.socket.on("update", (matchID, state) => this.take(matchID, state));
    // An update that is sent between the answer to a sync and its end is lost: ask again after a silence.
    setInterval(() => now() - this.heard > SILENCE && this.begin(), SILENCE);
  }

  begin() {
    const { matchID, credentials } = this.table.match;
    this.heard = now();
    this.acted = -1;
    if (this.match !== matchID) this.seen = { 0: 0, 1: 0 };
    this.match = matchID;
    this.socket.emit("sync", matchID, this.id, credentials[Number(this.id)], 2);
  }

  take(matchID, state) {
    this.heard = now();
    if (matchID !== this.table.match.matchID) return;
    this.measure(matchID, state.G);
    if (state.ctx.gameover !== undefined) {
      this.table.finished(this);
      return;
    }
    if (!state.G.picks[this.id] && this.acted < state.G.moves[this.id]) {
      this.acted = state.G.moves[this.id];
      const wait = pace();
      const hand = state.G.hands[this.id];
      const act = () => this.act(matchID, state._stateID, hand[Math.floor(Math.random() * hand.length)]);
      if (wait > 0) setTimeout(act, wait);
      else act();
    }
  }

  measure(matchID, G) {
    for (const player of ["0", "1"]) {
      if (G.moves[player] <= this.seen[player]) continue;
      this.seen[player] = G.moves[player];
      const sent = sentAt.get(`${matchID} ${player} ${G.moves[player]}`);
      if (isMeasuring && sent !== undefined) {
        (player === this.id ? delays.mover : delays.others).push(now() - sent);
        if (player === this.id) moves += 1;
      }
    }
  }

  act(matchID, stateID, card) {
    const credentials = this.table.match.credentials[Number(this.id)];
    const payload = { type: "pick", args: [card], playerID: this.id, credentials };
    sentAt.set(`${matchID} ${this.id} ${this.acted + 1}`, now());
    this.socket.emit("update", { type: "MAKE_MOVE", payload }, stateID, matchID, this.id);
  }
}

class Table {
  async open() {
    this.match = await newMatch();
    this.done = new Set();
    this.players = ["0", "1"].map((id) => new Player(this, id));
    await Promise.all(this.players.map((player) => player.ready));
  }

  begin() {
    for (const player of this.players) player.begin();
  }

  async finished(player) {
    this.done.add(player);
    if (this.done.size < 2) return;
    this.done.clear();
    matches += 1;
    this.match = await newMatch();
    this.begin();
  }
}

async function main() {
  const all = Array.from({ length: tables }, () => new Table());
  for (let at = 0; at < all.length; at += AT_ONCE) {
    await Promise.all(all.slice(at, at + AT_ONCE).map((table) => table.open()));
  }
  all.forEach((table) => table.begin());
  await sleep(100);
  say("ready");
  await sleep(warmUp * 1000);
  say("begin");
  isMeasuring = true;
  await sleep(seconds * 1000);
  isMeasuring = false;
  say("end");
  await say("seen", { moves, matches, mover: delays.mover, others: delays.others });
  process.exit(0);
}

main();
