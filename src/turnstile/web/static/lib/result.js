/** How a match ended, in words. Who has won comes from the server; the scores only show how the others follow. */

/** @import {Result} from "../../types/protocol" */
/** @import {Scene} from "../table/scene.js" */
import { capital, list } from "./words.js";

/** @typedef {{player: string, score: number, place: number}} Placed */

/** A whole result as sentences: the winners, why the match ended early, the scores.
 * @param {Result} result @param {Scene} scene */
export function resultWords(result, scene) {
  const scores = placesOf(result).map(({ player, score }) => `${scene.name(player)} ${score}`);
  return [`${winnerWords(result, scene)}.`, reasonWords(result, scene), scores.length ? `${capital(scores.join(", "))}.` : ""].filter(Boolean).join(" ");
}

/** Who has won, without a full stop.
 * @param {Result} result @param {Pick<Scene, "seat" | "name">} scene */
export function winnerWords({ how, winners }, { seat, name }) {
  if (how === "halted") return "The match was stopped";
  if (winners.length === 0) return "The match is a draw";
  if (winners.length === 1) return winners[0] === seat ? "You win" : `${capital(name(winners[0]))} wins`;
  const others = winners.filter((winner) => winner !== seat);
  const [shared, who] = [list(others.map(name)), others.length < winners.length];
  return who ? `You share the win with ${shared}` : `${capital(shared)} share the win`;
}

/** Why the match ended before its time; empty if it was played to its end.
 * @param {Result} result @param {Pick<Scene, "name">} scene */
export function reasonWords({ how, reason }, { name }) {
  switch (how) {
    case "resigned":
      return `${capital(name(reason))} resigned.`;
    case "outOfTime":
      return `${capital(name(reason))} ran out of time.`;
    case "halted":
      return reason ? `${capital(reason.replace(/\.$/, ""))}.` : "";
    default:
      return "";
  }
}

/** The players by place: first the winners, then the others, the nearer to the winners the earlier. Equal scores share a place.
 * @param {Result} result
 * @returns {readonly Placed[]} */
export function placesOf({ winners, scores }) {
  if (!scores) return [];
  const sign = isLowBest({ winners, scores }) ? 1 : -1;
  const rank = (/** @type {string} */ player) => (winners.includes(player) ? -Infinity : sign * scores[player]);
  const players = Object.keys(scores).sort((one, other) => (rank(one) === rank(other) ? 0 : rank(one) - rank(other)));
  return players.map((player) => ({ player, score: scores[player], place: 1 + players.filter((each) => rank(each) < rank(player)).length }));
}

/** Whether the fewest points win: the winners tell it.
 * @param {Pick<Result, "winners" | "scores">} result */
export function isLowBest({ winners, scores }) {
  const points = Object.entries(scores ?? {});
  const [best, rest] = [true, false].map((isWinner) => points.filter(([player]) => winners.includes(player) === isWinner).map(([, score]) => Number(score)));
  return best.length > 0 && rest.length > 0 && Math.max(...best) < Math.min(...rest);
}
