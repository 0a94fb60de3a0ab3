/** BLAKE2b (RFC 7693) with a key and a digest of 64 bytes. Browsers have none; a match needs a few dozen digests, so it is
 * written for reading and not for speed. */

const BLOCK = 128; // bytes
const MASK = 0xffff_ffff_ffff_ffffn;
const START = [
  0x6a09e667f3bcc908n, 0xbb67ae8584caa73bn, 0x3c6ef372fe94f82bn, 0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n, 0x9b05688c2b3e6c1fn, 0x1f83d9abfb41bd6bn, 0x5be0cd19137e2179n,
];
/** In which order each round reads the words of a block. Rounds 10 and 11 repeat 0 and 1. */
const ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d", "2c6a0b834d75fe19",
  "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
].map((order) => [...order].map((digit) => parseInt(digit, 16)));
/** Which words a round mixes: the columns, then the diagonals. */
const MIXES = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15], [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]];
const ROUNDS = 12;

/** @param {Uint8Array} message @param {Uint8Array} [key] at most 64 bytes */
export function blake2b(message, key = new Uint8Array()) {
  const padded = new Uint8Array(key.length ? BLOCK : 0);
  padded.set(key);
  const data = new Uint8Array([...padded, ...message]);
  const state = [...START];
  state[0] ^= 0x01010000n ^ (BigInt(key.length) << 8n) ^ 64n;
  const blocks = Math.max(1, Math.ceil(data.length / BLOCK));
  for (let at = 0; at < blocks; at += 1) {
    const isLast = at === blocks - 1;
    compress(state, words(data.subarray(at * BLOCK, (at + 1) * BLOCK)), BigInt(isLast ? data.length : (at + 1) * BLOCK), isLast);
  }
  const digest = new DataView(new ArrayBuffer(64));
  state.forEach((word, index) => digest.setBigUint64(index * 8, word, true));
  return new Uint8Array(digest.buffer);
}

/** A block as sixteen words, filled up with zeros.
 * @param {Uint8Array} bytes */
function words(bytes) {
  const block = new Uint8Array(BLOCK);
  block.set(bytes);
  const view = new DataView(block.buffer);
  return Array.from({ length: 16 }, (_, index) => view.getBigUint64(index * 8, true));
}

/** @param {bigint[]} state @param {bigint[]} block @param {bigint} length bytes so far @param {boolean} isLast */
function compress(state, block, length, isLast) {
  const work = [...state, ...START];
  work[12] ^= length;
  if (isLast) work[14] ^= MASK;
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = ORDERS[round % ORDERS.length];
    MIXES.forEach((places, index) => mix(work, places, block[order[2 * index]], block[order[2 * index + 1]]));
  }
  for (let index = 0; index < 8; index += 1) state[index] ^= work[index] ^ work[index + 8];
}

/** @param {bigint[]} work @param {number[]} places @param {bigint} x @param {bigint} y */
function mix(work, [a, b, c, d], x, y) {
  work[a] = (work[a] + work[b] + x) & MASK;
  work[d] = turn(work[d] ^ work[a], 32n);
  work[c] = (work[c] + work[d]) & MASK;
  work[b] = turn(work[b] ^ work[c], 24n);
  work[a] = (work[a] + work[b] + y) & MASK;
  work[d] = turn(work[d] ^ work[a], 16n);
  work[c] = (work[c] + work[d]) & MASK;
  work[b] = turn(work[b] ^ work[c], 63n);
}

/** @param {bigint} word @param {bigint} by */
function turn(word, by) {
  return ((word >> by) | (word << (64n - by))) & MASK;
}
