/** The cards of 66 on the table: rows of cards that lie face down, the deck, the pile, and a card that was just taken. */

/** @import {GameView} from "../../../types/66" */
/** @import {Scene} from "../../table/scene.js" */
/** @import {Children} from "../../../types/dom" */
import { card } from "../../card/card.js";
import { h, s } from "../../lib/dom.js";
import { capital, count, list } from "../../lib/words.js";
import { confirm, DECK, isOffered, othersCard, ownCard, PILE, raisedTargets, readyMove, tap, targetsOf } from "./targets.js";
import { track } from "./track.js";
import { POWERS, whoIs, whose } from "./words.js";

const FACES = "numbers";
const ALL_CARDS = 52;
const OPEN_PHASES = new Set(["ROUND_FINISHED", "GAME_FINISHED"]);
const LETTERS = "ABCD";
const EYE = "M1 8C4 3 8 2 12 2s8 1 11 6c-3 5-7 6-11 6S4 13 1 8Z";

/** Whether a round is over, and all cards are turned over.
 * @param {GameView} view */
export function isOpen(view) {
  return OPEN_PHASES.has(view.phase);
}

/** The letter of the keyboard that goes to another player's row.
 * @param {GameView} view @param {number} seat */
export function letterOf(view, seat) {
  return view.playerIndex === null ? null : LETTERS[(seat - view.playerIndex + view.players.length) % view.players.length - 1];
}

/** A player's row of cards.
 * @param {Scene<GameView>} scene @param {number} seat @param {string} kind */
export function row(scene, seat, kind) {
  const { view } = scene;
  const isOwn = view.playerIndex === seat;
  const label = `${capital(whose(scene, seat))} cards`;
  return h("div", { class: `row66 ${kind}`, role: "group", "aria-label": label, tabindex: isOwn ? null : -1, "aria-keyshortcuts": isOwn ? null : letterOf(view, seat) }, view.seen[seat].map((_, index) => place(scene, seat, index)));
}

/** One place of a row. What the player has seen is shown, for as long as the view shows it.
 * @param {Scene<GameView>} scene @param {number} seat @param {number} index */
function place(scene, seat, index) {
  const { view } = scene;
  const { hands, touched } = track(scene);
  const { value, seenBy } = view.seen[seat][index];
  const target = view.playerIndex === seat ? ownCard(index) : othersCard(seat, index);
  const label = placeWords(scene, seat, index);
  const kind = `place ${value === null ? "" : isOpen(view) ? "open" : "known"}`;
  const isTouched = !isOpen(view) && touched.some((each) => each.playerIndex === seat && each.cardIndex === index);
  const others = seenBy.filter((each) => each !== view.playerIndex);
  return spot(scene, target, { kind, label, key: hands[seat][index], from: "deck", face: value, shortcut: String(index + 1), isTouched },
    isOpen(view) ? null : eyes(others.length),
    view.playerIndex === seat ? h("span", { class: "number", "aria-hidden": "true" }, String(index + 1)) : null,
  );
}

/** "your card 2: a 7; also seen by Bea"
 * @param {Scene<GameView>} scene @param {number} seat @param {number} index */
export function placeWords(scene, seat, index) {
  const { view } = scene;
  const { value, seenBy } = view.seen[seat][index];
  const others = seenBy.filter((each) => each !== view.playerIndex).map((each) => (each === seat ? "its owner" : whoIs(scene, each)));
  const what = value === null ? "face down" : isOpen(view) ? String(value) : `${value}, face down`;
  return `${capital(whose(scene, seat))} card ${index + 1}: ${what}${others.length && !isOpen(view) ? `; seen by ${list(others)}` : ""}`;
}

/** How many other players have seen a card.
 * @param {number} number */
function eyes(number) {
  if (!number) return null;
  const eye = s("svg", { viewBox: "0 0 24 16", "aria-hidden": "true" }, s("path", { d: EYE }), s("circle", { cx: 12, cy: 8, r: 3.4 }));
  return h("span", { class: "eyes", "aria-hidden": "true" }, eye, number > 1 ? String(number) : null);
}

/** The deck, a card that was just taken from it, and the discard pile.
 * @param {Scene<GameView>} scene */
export function piles(scene) {
  return h("div", { class: "piles" }, deck(scene), taken(scene), pile(scene));
}

/** @param {Scene<GameView>} scene */
function deck(scene) {
  const { view } = scene;
  const size = view.phase === "NOT_STARTED" ? ALL_CARDS : view.deckSize;
  const label = `The deck: ${count(size, "card")}, face down`;
  const content = { key: size ? "deck" : null, face: null };
  return h("div", { class: "stack" },
    spot(scene, DECK, { kind: `place deck ${size > 12 ? "high" : ""}`, label, shortcut: "T", ...content }),
    h("span", { class: "under" }, "Deck ", h("small", null, String(size)), isOffered(scene, DECK) ? h("kbd", null, "T") : null),
  );
}

/** @param {Scene<GameView>} scene */
function pile(scene) {
  const { view } = scene;
  const { pile: ids } = track(scene);
  const value = view.discardedValue;
  const label = value === null ? "The discard pile: empty" : `The discard pile: ${value} on top, ${count(view.discarded.length, "card")}`;
  const below = view.discarded.at(-2);
  return h("div", { class: "stack" },
    spot(scene, PILE, { kind: "place pile open", label, shortcut: "P", key: value === null ? null : ids[1], face: value, below: below === undefined ? undefined : [ids[0], below] }),
    h("span", { class: "under" }, "Pile ", h("small", null, String(view.discarded.length)), isOffered(scene, PILE) ? h("kbd", null, "P") : null),
  );
}

/** The card that the player has taken from the deck; another player's lies face down.
 * @param {Scene<GameView>} scene */
function taken(scene) {
  const { view } = scene;
  if (view.phase !== "DECK_CARD_TAKEN") return h("div", { class: "stack taken none" });
  const who = whoIs(scene, view.turn);
  const power = view.taken === null ? null : POWERS[view.taken];
  return h("div", { class: "stack taken" },
    h("div", { class: "place" }, card({ deck: FACES, face: view.taken === null ? null : String(view.taken), key: track(scene).taken, from: "deck", label: `${capital(who)} took ${view.taken ?? "a card, face down"}` })),
    h("span", { class: "under" }, view.taken === null ? capital(who) : "Taken", power ? h("span", { class: "visually-hidden" }, `, discarded it lets you ${power}`) : null),
  );
}

/** A card, and over it a button if it may be tapped.
 * @param {Scene<GameView>} scene @param {string} target
 * @param {{kind: string, label: string, shortcut: string, key: string | null, face: number | null, from?: string, below?: [string, number], isTouched?: boolean}} look
 * @param {...Children} more */
function spot(scene, target, { kind, label, shortcut, key, face, from, below, isTouched }, ...more) {
  const canTap = isOffered(scene, target);
  const isRaised = raisedTargets(scene).includes(target);
  const isRefused = scene.refused && targetsOf(scene.refused).includes(target);
  return h("div", { class: kind, "data-raised": isRaised, "data-touched": isTouched, "data-offered": canTap, "data-refused": isRefused },
    below ? h("span", { class: "below", "aria-hidden": "true" }, card({ deck: FACES, face: String(below[1]), key: below[0] })) : null,
    h("span", { class: "lies", "aria-hidden": canTap ? "true" : null }, key === null ? h("span", { class: "empty" }) : card({ deck: FACES, face: face === null ? null : String(face), key, from, label })),
    more,
    canTap ? button(scene, target, label, shortcut, isRaised) : null,
  );
}

/** @param {Scene<GameView>} scene @param {string} target @param {string} label @param {string} shortcut @param {boolean} isRaised */
function button(scene, target, label, shortcut, isRaised) {
  const isReady = isRaised && readyMove(scene) !== null;
  return h("button", {
    type: "button", class: "choice cover", "data-choice": true, "data-target": target,
    "data-raised": isRaised, "aria-label": label, "aria-pressed": String(isRaised), "aria-keyshortcuts": shortcut, "aria-disabled": scene.sent ? "true" : null,
    onclick: () => tap(scene, target),
    onkeydown: (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Enter" || !isReady) return;
      event.preventDefault();
      confirm(scene);
    },
  });
}
