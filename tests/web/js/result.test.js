import assert from "node:assert/strict";
import { test } from "node:test";
import { isLowBest, placesOf, resultWords, winnerWords } from "../../../src/turnstile/web/static/lib/result.js";

const scene = (seat) => ({ seat, name: (player) => (player === seat ? "you" : player) });
const played = (scores, ...winners) => ({ how: "played", winners, scores, reason: "" });
const order = (result) => placesOf(result).map(({ player, place }) => `${place} ${player}`);

test("the most points come first where they win", () => {
  const result = played({ ana: 12, bo: 40, cy: 30 }, "bo");
  assert.deepEqual(order(result), ["1 bo", "2 cy", "3 ana"]);
  assert.equal(isLowBest(result), false);
  assert.equal(resultWords(result, scene("bo")), "You win. You 40, cy 30, ana 12.");
});

test("the fewest points come first where they win", () => {
  const result = played({ ana: 70, bo: 12, cy: 30 }, "bo");
  assert.deepEqual(order(result), ["1 bo", "2 cy", "3 ana"]);
  assert.equal(isLowBest(result), true);
  assert.equal(resultWords(result, scene("ana")), "Bo wins. Bo 12, cy 30, you 70.");
});

test("equal scores share a place, and winners share the win", () => {
  const result = played({ ana: 5, bo: 9, cy: 9, dan: 5 }, "bo", "cy");
  assert.deepEqual(order(result), ["1 bo", "1 cy", "3 ana", "3 dan"]);
  assert.equal(winnerWords(result, scene("cy")), "You share the win with bo");
  assert.equal(winnerWords(result, scene("ana")), "Bo and cy share the win");
  const all = played({ ana: 5, bo: 5 }, "ana", "bo");
  assert.deepEqual(order(all), ["1 ana", "1 bo"]);
  assert.equal(winnerWords(all, scene("ana")), "You share the win with bo");
  assert.equal(winnerWords(played({ ana: 5, bo: 5 }), scene("ana")), "The match is a draw");
});

test("a match that ends early says why; full stops in names do no harm", () => {
  const early = (how, reason, ...winners) => ({ how, winners, scores: null, reason });
  assert.equal(resultWords(early("resigned", "Dr. No", "ana"), scene("ana")), "You win. Dr. No resigned.");
  assert.equal(resultWords(early("outOfTime", "ana", "bo"), scene("ana")), "Bo wins. You ran out of time.");
  assert.equal(resultWords(early("resigned", "cy", "ana", "bo"), scene("bo")), "You share the win with ana. Cy resigned.");
  assert.equal(resultWords(early("halted", "a game failed."), scene("ana")), "The match was stopped. A game failed.");
});
