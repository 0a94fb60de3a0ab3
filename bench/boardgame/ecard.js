// E-Card in boardgame.io: the rules of docs/games/e-card.md, with the same hidden hands.

const ROUNDS = 12;
const ROUNDS_IN_SIDE = 3;
const BEATS = { E: "C", C: "S", S: "E" };

const fullHand = (special) => [special, "C", "C", "C", "C"];
const other = (player) => (player === "0" ? "1" : "0");

function setUp(G) {
  G.hands = { [G.emperor]: fullHand("E"), [other(G.emperor)]: fullHand("S") };
  G.picks = { 0: null, 1: null };
}

function reveal(G) {
  const [mine, theirs] = [G.picks[0], G.picks[1]];
  const winner = mine === theirs ? null : BEATS[mine] === theirs ? "0" : "1";
  G.revealed.push({ round: G.round + 1, emperor: G.emperor, cards: { ...G.picks }, winner });
  if (winner === null) {
    for (const player of ["0", "1"]) {
      G.hands[player].splice(G.hands[player].indexOf(G.picks[player]), 1);
    }
    G.picks = { 0: null, 1: null };
    return;
  }
  G.score[winner] += 1;
  G.round += 1;
  if (G.isTieBreak || (G.round === ROUNDS && G.score[0] !== G.score[1])) {
    G.winner = G.score[0] > G.score[1] ? "0" : "1";
    return;
  }
  if (G.round === ROUNDS) {
    G.isTieBreak = true;
  } else if (G.round % ROUNDS_IN_SIDE === 0) {
    G.emperor = other(G.emperor);
  }
  setUp(G);
}

const pick = {
  move: ({ G, playerID }, card) => {
    if (G.picks[playerID] !== null || !G.hands[playerID].includes(card)) {
      return "INVALID_MOVE";
    }
    G.picks[playerID] = card;
    G.moves[playerID] += 1;
    if (G.picks[other(playerID)] !== null) {
      reveal(G);
    }
  },
  client: false,
  ignoreStaleStateID: true, // both players pick at the same time
};

exports.ECard = {
  name: "e-card",
  minPlayers: 2,
  maxPlayers: 2,
  setup: ({ random }) => {
    const G = {
      emperor: String(random.Die(2) - 1),
      score: { 0: 0, 1: 0 },
      moves: { 0: 0, 1: 0 },
      round: 0,
      isTieBreak: false,
      revealed: [],
      winner: null,
    };
    setUp(G);
    return G;
  },
  turn: { activePlayers: { all: "picking" }, stages: { picking: { moves: { pick } } } },
  endIf: ({ G }) => (G.winner === null ? undefined : { winner: G.winner }),
  playerView: ({ G, playerID }) => ({
    ...G,
    hands: playerID === null || playerID === undefined ? {} : { [playerID]: G.hands[playerID] },
    picks: { 0: G.picks[0] !== null, 1: G.picks[1] !== null },
  }),
};
