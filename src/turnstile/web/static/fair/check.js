/** Whether a match was dealt fairly. The browser checks it by itself, with nothing but the record, what this seat was told
 * during the match, and docs/records.md. */

/** @import {Tagged} from "../lib/fold.js" */
/** @import {Deal} from "./deals.js" */
import { bytesOf, DEALS } from "./deals.js";
import { sha256 } from "./sha256.js";
import { differences } from "./seen.js";

/** @typedef {{readonly name: "record" | "seed" | "deal", readonly isRight: boolean, readonly text: string}} Check */
/** @typedef {object} Fairness
 * @property {boolean} isFair whether all checks are right
 * @property {readonly Check[]} checks
 * @property {string} seed
 * @property {string} commitment
 * @property {readonly Deal[]} deals every draw, made again */
/** @typedef {object} RecordLines
 * @property {any} header
 * @property {readonly (readonly [player: string, words: string])[]} words
 * @property {readonly Tagged[]} events
 * @property {any} end */

const LINE = /^(\{.*),"hash":"([0-9a-f]{64})"\}$/su;
const KINDS = /^header( entropy)*( event)* end$/;

/** Check a record against itself and against what a seat was told.
 * @param {string} text the record, as it can be downloaded
 * @param {readonly Tagged[]} told all messages of the seat's stream
 * @param {string | null} seat the player; `null` for a spectator
 * @returns {Promise<Fairness>} */
export async function checkFairness(text, told, seat) {
  const record = await readRecord(text);
  if (typeof record === "string") return { isFair: false, checks: [{ name: "record", isRight: false, text: record }], seed: "", commitment: "", deals: [] };
  const { header, events, end } = record;
  const lines = 2 + record.words.length + events.length;
  const seed = await dealtSeed(record);
  const deals = DEALS[header.game]?.(header.players, header.options, seed, events) ?? [];
  const checks = /** @type {Check[]} */ ([
    { name: "record", isRight: true, text: `The record is whole: the hashes of all its ${lines} lines are right.` },
    { name: "seed", ...(await checkSeed(record, told, seed)) },
    { name: "deal", ...checkDeal(record, deals, told, seat) },
  ]);
  return { isFair: checks.every(({ isRight }) => isRight), checks, seed: end.seed, commitment: header.commitment, deals };
}

/** The lines of a record; if it is damaged, a sentence that says where.
 * @param {string} text
 * @returns {Promise<RecordLines | string>} */
async function readRecord(text) {
  const lines = text.split("\n");
  if (lines.pop() !== "") return "The record is damaged: its last line is not complete.";
  /** @type {any[]} */
  const read = [];
  let before = "";
  for (const [index, line] of lines.entries()) {
    const [, body, hash] = LINE.exec(line) ?? [];
    if (!body || (await sha256(bytesOf(`${before}${body}}`))) !== hash) return `The record is damaged: the hash of line ${index + 1} is wrong.`;
    before = hash;
    read.push(JSON.parse(line));
  }
  if (!KINDS.test(read.map(({ line }) => line).join(" "))) return "The record is damaged: lines are missing.";
  return {
    header: read[0],
    words: read.filter(({ line }) => line === "entropy").map(({ player, words }) => [player, words]),
    events: read.filter(({ line }) => line === "event").map(({ event }) => event),
    end: read.at(-1),
  };
}

/** The seed that the match was dealt from: the committed one, with the words of the players mixed in.
 * @param {RecordLines} record */
async function dealtSeed({ end, words }) {
  if (words.length === 0) return end.seed;
  const sorted = [...words].sort(([one], [other]) => byCodePoints(one, other));
  return sha256(bytesOf(JSON.stringify([end.seed, sorted])));
}

/** Strings compare by UTF-16 units in JavaScript; UTF-8 keeps the order of the code points.
 * @param {string} one @param {string} other */
function byCodePoints(one, other) {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  const at = a.findIndex((byte, index) => byte !== b[index]);
  return at < 0 ? a.length - b.length : a[at] - (b[at] ?? -1);
}

/** @param {RecordLines} record @param {readonly Tagged[]} told @param {string} seed */
async function checkSeed({ header, words, events, end }, told, seed) {
  const promised = told.find(({ type }) => type === "MatchStarting")?.commitment ?? header.commitment;
  const ended = told.find(({ type }) => type === "MatchEnded");
  const started = events.find((event) => event.type === "Start" && "seed" in event);
  const wrong = (/** @type {string} */ text) => ({ isRight: false, text });
  if (header.commitment !== promised) return wrong("The record shows another commitment than you were shown before the first move.");
  if ((await sha256(bytesOf(end.seed))) !== promised) return wrong("The seed is not the one that was promised before the first move.");
  if (ended && ended.seed !== end.seed) return wrong("The record has another seed than you were shown at the end.");
  if (ended && !isSameWords(ended.words, words)) return wrong("The record has other words of the players than you were shown at the end.");
  if (started && started.seed !== seed) return wrong("The match was dealt from another seed than the promised one.");
  return { isRight: true, text: "The seed is the one that was promised before the first move: its SHA-256 is the commitment." };
}

/** @param {{readonly [player: string]: string}} shown @param {RecordLines["words"]} words */
function isSameWords(shown, words) {
  return Object.keys(shown).length === words.length && words.every(([player, each]) => shown[player] === each);
}

/** @param {RecordLines} record @param {readonly Deal[]} deals @param {readonly Tagged[]} told @param {string | null} seat */
function checkDeal({ header }, deals, told, seat) {
  if (deals.length === 0) return { isRight: true, text: `This page does not know how ${header.game} deals; the command "turnstile verify" does.` };
  const { compared, wrong } = differences(header.game, { players: header.players, deals, told, seat });
  if (wrong) return { isRight: false, text: wrong };
  const seen = `All that you saw of it (${compared} ${compared === 1 ? "draw" : "cards and draws"}) is as the seed demands.`;
  return { isRight: true, text: compared ? `The deal was made again from this seed. ${seen}` : "The deal was made again from this seed; you have seen nothing of it." };
}
