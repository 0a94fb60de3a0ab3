// Starts a match at the address /callable/NAME instead of the emulator's. Arguments: URL ROOM TOKEN.
'use strict';
const { initializeApp } = require('firebase/app');
const { connectAuthEmulator, getAuth, signInWithCustomToken } = require('firebase/auth');
const { getFunctions, httpsCallable } = require('firebase/functions');

const [url, room, token] = process.argv.slice(2);

async function main() {
  const app = initializeApp({ projectId: 'demo-turnstile', apiKey: 'any' });
  const auth = getAuth(app);
  connectAuthEmulator(auth, url, { disableWarnings: true });
  const { user } = await signInWithCustomToken(auth, token);
  const startGame = httpsCallable(getFunctions(app, `${url}/callable`), 'startGame');
  const { data } = await startGame({ roomId: room, playerId: user.uid });
  console.log(JSON.stringify({ started: data }));
}

main().then(() => process.exit(0), (error) => { console.error(error); process.exit(1); });
