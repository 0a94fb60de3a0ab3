/** SHA-256 in hexadecimal: by Web Crypto, and where a page has none because it came without TLS, by hand. */

const PRIMES = firstPrimes(64);
const ROOTS = PRIMES.map((prime) => fraction(Math.cbrt(prime)));
const START = PRIMES.slice(0, 8).map((prime) => fraction(Math.sqrt(prime)));

/** @param {Uint8Array<ArrayBuffer>} bytes */
export async function sha256(bytes) {
  const digest = globalThis.crypto?.subtle ? new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)) : sha256ByHand(bytes);
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** FIPS 180-4.
 * @param {Uint8Array} bytes */
export function sha256ByHand(bytes) {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const data = new DataView(padded.buffer);
  data.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  const state = [...START];
  for (let at = 0; at < padded.length; at += 64) compress(state, data, at);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => digest.setUint32(index * 4, word));
  return new Uint8Array(digest.buffer);
}

/** @param {number[]} state @param {DataView} data @param {number} at */
function compress(state, data, at) {
  const words = Array.from({ length: 64 }, (_, index) => (index < 16 ? data.getUint32(at + index * 4) : 0));
  for (let index = 16; index < 64; index += 1) {
    const [early, late] = [words[index - 15], words[index - 2]];
    words[index] = (words[index - 16] + (turn(early, 7) ^ turn(early, 18) ^ (early >>> 3)) + words[index - 7] + (turn(late, 17) ^ turn(late, 19) ^ (late >>> 10))) >>> 0;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let index = 0; index < 64; index += 1) {
    const first = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROOTS[index] + words[index]) >>> 0;
    const second = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) >>> 0;
    [a, b, c, d, e, f, g, h] = [(first + second) >>> 0, a, b, c, (d + first) >>> 0, e, f, g];
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => (state[index] = (state[index] + word) >>> 0));
}

/** @param {number} word @param {number} by */
function turn(word, by) {
  return (word >>> by) | (word << (32 - by));
}

/** The first 32 bits behind the point.
 * @param {number} number */
function fraction(number) {
  return Math.floor((number - Math.floor(number)) * 2 ** 32);
}

/** @param {number} count */
function firstPrimes(count) {
  const primes = /** @type {number[]} */ ([]);
  for (let number = 2; primes.length < count; number += 1) if (primes.every((prime) => number % prime)) primes.push(number);
  return primes;
}
