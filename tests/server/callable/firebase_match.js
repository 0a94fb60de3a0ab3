// Two players play a match of Up-Down with the official Firebase client. Arguments: URL ROOM TOKEN TOKEN.
'use strict';
const { initializeApp } = require('firebase/app');
const {
  connectAuthEmulator, getAuth, signInAnonymously, signInWithCustomToken, signOut,
} = require('firebase/auth');
const { connectFunctionsEmulator, getFunctions, httpsCallable } = require('firebase/functions');
const { isMyTurn, getMyHand, getMesa, getPinta, canPlayCard } = require('queries');

const [url, room, ...tokens] = process.argv.slice(2);
const { hostname, port } = new URL(url);

function connect(name) {
  const app = initializeApp({ projectId: 'demo-turnstile', apiKey: 'any' }, name);
  const auth = getAuth(app);
  connectAuthEmulator(auth, url, { disableWarnings: true });
  const functions = getFunctions(app);
  connectFunctionsEmulator(functions, hostname, Number(port));
  return { auth, call: (name_) => httpsCallable(functions, name_) };
}

async function signIn(token, index) {
  const client = connect(`player ${index}`);
  const { user } = await signInWithCustomToken(client.auth, token);
  return { ...client, user, id: user.uid };
}

async function read(player) {
  const headers = { Authorization: `Bearer ${await player.user.getIdToken()}` };
  return (await fetch(`${url}/callable/games/${room}`, { headers })).json();
}

async function errorOf(promise) {
  try {
    await promise;
  } catch (error) {
    return [error.code, error.message.replace(/ \[\d+\]$/, '')];
  }
  throw new Error('it was not refused');
}

function bet(game) {
  const placed = game.players.filter((p) => p.bet !== null);
  const sum = placed.reduce((total, p) => total + p.bet, 0);
  const isLast = placed.length === game.players.length - 1;
  return isLast && sum === game.currentRound.cardsPerPlayer ? 1 : 0;
}

async function streamed(callable, data) {
  const { stream, data: result } = await callable.stream(data);
  result.catch(() => {}); // an error ends the stream and rejects the result: the loop below throws it
  for await (const message of stream) throw new Error(`unexpected: ${message}`);
  return result;
}

async function act(player, game) {
  if (game.status === 'betting') {
    return player.call('placeBet')({ playerId: player.id, bet: bet(game) });
  }
  const card = getMyHand(game, player.id).find((c) => canPlayCard(game, player.id, c));
  const other = getMyHand(game, player.id).find((c) => !canPlayCard(game, player.id, c));
  if (other && !getPinta(game)) throw new Error('the first card may be any');
  if (!getMesa(game)) throw new Error('a round has a mesa');
  return player.call('playCard')({ playerId: player.id, card });
}

async function main() {
  const players = await Promise.all(tokens.map(signIn));
  const [admin, other] = players;
  const told = { players: players.map((p) => p.id), names: players.map((p) => p.user.displayName), statuses: [] };
  told.statuses.push((await read(admin)).status);
  told.notAdmin = await errorOf(other.call('startGame')({ roomId: room, playerId: other.id }));
  await admin.call('startGame')({ roomId: room, playerId: admin.id });
  let game = await read(admin);
  const waiting = players.find((p) => !isMyTurn(game, p.id));
  const first = players.find((p) => isMyTurn(game, p.id));
  told.notYourTurn = await errorOf(waiting.call('placeBet')({ playerId: waiting.id, bet: 0 }));
  told.streamError = await errorOf(streamed(waiting.call('placeBet'), { playerId: waiting.id, bet: 0 }));
  const { roomId } = await streamed(first.call('placeBet'), { playerId: first.id, bet: 0 });
  told.streamed = { roomId };
  const before = await admin.user.getIdToken();
  told.renewed = (await admin.user.getIdToken(true)) === before;
  for (;;) {
    game = await read(admin);
    told.statuses.push(game.status);
    if (game.status === 'game_complete') break;
    const player = players.find((p) => isMyTurn(game, p.id));
    await act(player, await read(player));
  }
  told.rounds = game.completedRounds.map((r) => r.cardsPerPlayer);
  await signOut(admin.auth);
  told.signedOut = await errorOf(admin.call('placeBet')({ playerId: admin.id, bet: 0 }));
  const guest = connect('guest');
  told.anonymous = (await signInAnonymously(guest.auth)).user.uid;
  told.badToken = (await errorOf(signInWithCustomToken(guest.auth, 'wrong')))[0];
  console.log(JSON.stringify(told));
}

main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
