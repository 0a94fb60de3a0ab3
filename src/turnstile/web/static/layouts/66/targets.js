/** What a player of 66 taps, and which move that makes. A target is a thing on the table: the deck, the pile, a card, a
 * button. A move is made of its targets: to take the discarded card, tap the pile and the card that it replaces. The
 * targets that are raised stand in `scene.raised`, so the page drops them whenever the moves on offer change. */

/** @import {GameView} from "../../../types/66" */
/** @import {Tagged} from "../../lib/fold.js" */
/** @import {Scene} from "../../table/scene.js" */
import { isOn } from "../../lib/settings.js";

export const DECK = "deck";
export const PILE = "pile";
export const STOP = "stop";
export const START = "start";
const BETWEEN = "+";

/** @param {number} index */
export const ownCard = (index) => `own ${index}`;

/** @param {number} seat @param {number} index */
export const othersCard = (seat, index) => `other ${seat} ${index}`;

/** @param {Tagged} move @returns {readonly string[]} */
export function targetsOf(move) {
  switch (move.type) {
    case "TakeCardFromDeck":
    case "ReplaceCardsFromDeck":
      return [DECK];
    case "Discard":
    case "ReplaceCardsByDiscarded":
      return [PILE];
    case "ReplaceCardByDiscarded":
      return [PILE, ownCard(move.cardIndex)];
    case "ReplaceCardFromDeck":
    case "PeekOwnCard":
      return [ownCard(move.cardIndex)];
    case "PeekAnothersCard":
      return [othersCard(move.anotherPlayerIndex, move.cardIndex)];
    case "ExchangeCards":
      return [ownCard(move.cardIndex), othersCard(move.anotherPlayerIndex, move.anotherPlayerCardIndex)];
    case "ShowCards":
      return move.cardIndexes.map(ownCard);
    case "StopRound":
      return [STOP];
    default:
      return [START];
  }
}

/** What is raised now.
 * @param {Scene<GameView>} scene @returns {readonly string[]} */
export function raisedTargets({ raised, actions }) {
  const all = new Set(actions.flatMap(targetsOf));
  return raised === null ? [] : raised.split(BETWEEN).filter((target) => all.has(target));
}

/** Whether a tap on a target leads to a move.
 * @param {Scene<GameView>} scene @param {string} target */
export function isOffered({ actions }, target) {
  return actions.some((move) => targetsOf(move).includes(target));
}

/** The move that the raised targets make; `null` while something is missing.
 * @param {Scene<GameView>} scene */
export function readyMove(scene) {
  return moveOf(scene.actions, raisedTargets(scene));
}

/** Raise a target, put it back, or make the move that the raised targets are.
 * @param {Scene<GameView>} scene @param {string} target */
export function tap(scene, target) {
  const { actions, sent } = scene;
  if (sent || !isOffered(scene, target)) return;
  const raised = raisedTargets(scene);
  const ready = moveOf(actions, raised);
  if (raised.includes(target)) {
    if (ready && ready.type !== "ShowCards") return scene.act(ready);
    return raise(scene, raised.filter((each) => each !== target));
  }
  const next = withTarget(actions, raised, target);
  const made = moveOf(actions, next);
  if (made && isOn("one-tap") && made.type !== "StopRound" && !canGrow(actions, next)) return scene.act(made);
  raise(scene, next);
}

/** Make the move that is ready.
 * @param {Scene<GameView>} scene */
export function confirm(scene) {
  const move = readyMove(scene);
  if (move && !scene.sent) scene.act(move);
}

/** @param {Scene<GameView>} scene @param {readonly string[]} targets */
function raise(scene, targets) {
  scene.raise(targets.length ? targets.join(BETWEEN) : null);
}

/** The raised targets after one more: beside the others, in place of one of its kind, or alone.
 * @param {readonly Tagged[]} actions @param {readonly string[]} raised @param {string} target */
function withTarget(actions, raised, target) {
  const kind = target.split(" ")[0];
  const choices = [[...raised, target], [...raised.filter((each) => each.split(" ")[0] !== kind), target]];
  return choices.find((each) => isPart(actions, each)) ?? [target];
}

/** @param {readonly Tagged[]} actions @param {readonly string[]} targets */
function isPart(actions, targets) {
  return actions.some((move) => targets.every((each) => targetsOf(move).includes(each)));
}

/** @param {readonly Tagged[]} actions @param {readonly string[]} targets */
function moveOf(actions, targets) {
  if (!targets.length) return null;
  return actions.find((move) => targetsOf(move).length === targets.length && isPart([move], targets)) ?? null;
}

/** @param {readonly Tagged[]} actions @param {readonly string[]} targets */
function canGrow(actions, targets) {
  return actions.some((move) => targetsOf(move).length > targets.length && isPart([move], targets));
}
