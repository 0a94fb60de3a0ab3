/** Every draw of a match, made again from its seed as docs/records.md ("Dealing again") describes it. */

/** @import {Tagged} from "../lib/fold.js" */
import { blake2b } from "./blake2b.js";

/** @typedef {{readonly [name: string]: any}} Deal what was drawn at once, by name */
/** @typedef {(players: readonly string[], options: any, seed: string, events: readonly Tagged[]) => Deal[]} DealAgain */

const LONGEST_KEY = 64;
const DIGEST = 64; // bytes
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"];
const HAND_OF_66 = 4;

/** A number from 0 to `bound` - 1.
 * @param {string} seed @param {string} label @param {number} counter @param {bigint} bound */
export function draw(seed, label, counter, bound) {
  const text = bytesOf(seed);
  const key = text.length <= LONGEST_KEY ? text : blake2b(text);
  const bits = bound === 1n ? 0 : (bound - 1n).toString(2).length;
  const size = Math.ceil(bits / 8);
  for (let attempt = 0; ; attempt += 1) {
    const blocks = Array.from({ length: Math.ceil(size / DIGEST) }, (_, block) => blake2b(bytesOf(`${label}:${counter}:${attempt}:${block}`), key));
    const drawn = blocks.flatMap((block) => [...block]).slice(0, size);
    const number = drawn.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n) >> BigInt(8 * size - bits);
    if (number < bound) return number;
  }
}

/** @template T @param {string} seed @param {string} label @param {number} counter @param {readonly T[]} cards */
export function shuffle(seed, label, counter, cards) {
  const shuffled = [...cards];
  const orders = shuffled.reduce((product, _, index) => product * BigInt(index + 1), 1n);
  let number = draw(seed, label, counter, orders);
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Number(number % BigInt(last + 1));
    number /= BigInt(last + 1);
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return shuffled;
}

/** @param {string} seed @param {string} label @param {readonly string[]} players */
function drawPlayer(seed, label, players) {
  return players[Number(draw(seed, label, 0, BigInt(players.length)))];
}

/** @template T @param {readonly string[]} players @param {readonly T[]} cards @param {number} size */
function handOut(players, cards, size) {
  return Object.fromEntries(players.map((player, seat) => [player, cards.slice(seat * size, (seat + 1) * size)]));
}

/** @type {DealAgain} */
function eCard(players, _, seed) {
  return [{ emperor: drawPlayer(seed, "first emperor", players) }];
}

/** @type {DealAgain} */
function evenOdd(_, options, seed) {
  return Array.from({ length: options.draws }, (_, index) => ({ number: 1 + Number(draw(seed, "number", index, 10n)) }));
}

/** @type {DealAgain} */
function upDown(players, options, seed) {
  const largest = options.maxRoundSize ?? Math.min(7, Math.floor(51 / players.length));
  const sizes = Array.from({ length: 2 * largest - 1 }, (_, index) => Math.min(index + 1, 2 * largest - 1 - index));
  const deck = SUITS.flatMap((suit) => RANKS.map((rank) => `${rank} of ${suit}`));
  const rounds = sizes.map((size, index) => {
    const cards = shuffle(seed, "deal", index + 1, deck);
    return { round: index + 1, hands: handOut(players, cards, size), mesa: cards[players.length * size] };
  });
  return [{ PG1: drawPlayer(seed, "first player", players) }, ...rounds];
}

/** @type {DealAgain} */
function sixtySix(players, _, seed, events) {
  const count = events.filter(({ type }) => type === "StartGame" || type === "StartNextRound").length;
  const values = Array.from({ length: 14 }, (_, value) => Array(value === 0 || value === 13 ? 2 : 4).fill(value)).flat();
  const rounds = Array.from({ length: count }, (_, index) => {
    const cards = shuffle(seed, "deal", index + 1, values);
    const deck = cards.slice(players.length * HAND_OF_66, -1).reverse();
    return { round: index + 1, hands: handOut(players, cards, HAND_OF_66), faceUp: cards.at(-1), deck };
  });
  return [{ starter: drawPlayer(seed, "first player", players) }, ...rounds];
}

/** How each game of the box deals. @type {{readonly [game: string]: DealAgain}} */
export const DEALS = { "e-card": eCard, "even-odd": evenOdd, "up-down": upDown, 66: sixtySix };

/** @param {string} text */
export function bytesOf(text) {
  return new TextEncoder().encode(text);
}
