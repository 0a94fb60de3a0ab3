/** The faces of cards, drawn in a box of 100 by 140. A deck says how a face is drawn, and how it is read aloud. */

import { s } from "../lib/dom.js";

/** @typedef {{draw: (face: string) => SVGElement[], name: (face: string) => string}} Deck */

const SUITS = /** @type {const} */ ({
  spades: { letter: "S", path: "M0-46C14-26 42-12 42 12 42 26 31 34 20 34 13 34 7 31 3 25 4 36 8 42 16 46L-16 46C-8 42-4 36-3 25-7 31-13 34-20 34-31 34-42 26-42 12-42-12-14-26 0-46Z" },
  hearts: { letter: "H", path: "M0 46C-12 28-44 8-44-16-44-32-33-42-21-42-11-42-4-36 0-27 4-36 11-42 21-42 33-42 44-32 44-16 44 8 12 28 0 46Z" },
  diamonds: { letter: "D", path: "M0-48C10-30 22-14 36 0 22 14 10 30 0 48-10 30-22 14-36 0-22-14-10-30 0-48Z" },
  clubs: { letter: "C", path: "M0-46C13-46 22-36 22-25 22-20 20-15 17-11 20-13 24-14 27-14 38-14 46-5 46 6 46 17 38 26 27 26 17 26 9 20 4 12 4 28 8 40 16 46L-16 46C-8 40-4 28-4 12-9 20-17 26-27 26-38 26-46 17-46 6-46-5-38-14-27-14-24-14-20-13-17-11-20-15-22-20-22-25-22-36-13-46 0-46Z" },
});
/** @typedef {keyof typeof SUITS} Suit */

const RANKS = /** @type {{[rank: string]: string}} */ ({ A: "Ace", J: "Jack", Q: "Queen", K: "King" });

/** Where the pips of a number card lie: columns 0 to 2, heights 0 to 1. */
const PIPS = /** @type {{[rank: string]: [number, number][]}} */ ({
  2: [[1, 0], [1, 1]],
  3: [[1, 0], [1, 0.5], [1, 1]],
  4: [[0, 0], [2, 0], [0, 1], [2, 1]],
  5: [[0, 0], [2, 0], [1, 0.5], [0, 1], [2, 1]],
  6: [[0, 0], [2, 0], [0, 0.5], [2, 0.5], [0, 1], [2, 1]],
  7: [[0, 0], [2, 0], [1, 0.25], [0, 0.5], [2, 0.5], [0, 1], [2, 1]],
  8: [[0, 0], [2, 0], [1, 0.25], [0, 0.5], [2, 0.5], [1, 0.75], [0, 1], [2, 1]],
  9: [[0, 0], [2, 0], [0, 0.33], [2, 0.33], [1, 0.5], [0, 0.67], [2, 0.67], [0, 1], [2, 1]],
  10: [[0, 0], [2, 0], [1, 0.17], [0, 0.33], [2, 0.33], [0, 0.67], [2, 0.67], [1, 0.83], [0, 1], [2, 1]],
});

/** @param {string} path @param {number} x @param {number} y @param {number} size @param {string} [kind] */
function glyph(path, x, y, size, kind = "") {
  return s("path", { d: path, class: kind, transform: `translate(${x} ${y}) scale(${size / 100})` });
}

/** @param {string} text @param {number} x @param {number} y @param {number} size @param {string} [kind] */
function letters(text, x, y, size, kind = "") {
  return s("text", { x, y, "font-size": size, "text-anchor": "middle", class: kind }, text);
}

/** The same drawing at the top left and, turned, at the bottom right.
 * @param {() => SVGElement[]} draw */
function corners(draw) {
  return [s("g", null, draw()), s("g", { transform: "rotate(180 50 70)" }, draw())];
}

// French suits: "Q:hearts"

/** @param {string} face @returns {[string, Suit]} */
function rankAndSuit(face) {
  const [rank, suit] = face.split(":");
  return [rank, /** @type {Suit} */ (suit)];
}

/** @type {Deck} */
const french = {
  name(face) {
    const [rank, suit] = rankAndSuit(face);
    return `${RANKS[rank] ?? rank} of ${suit}`;
  },
  draw(face) {
    const [rank, suit] = rankAndSuit(face);
    const { path } = SUITS[suit] ?? SUITS.spades;
    const corner = corners(() => [letters(rank, 14, 26, rank === "10" ? 22 : 25), glyph(path, 14, 39, 15)]);
    return [s("g", { class: `suit ${suit}` }, corner, middleOf(rank, path))];
  },
};

/** @param {string} rank @param {string} path */
function middleOf(rank, path) {
  const pips = PIPS[rank];
  if (pips) return pips.map(([column, height]) => glyph(path, 33 + column * 17, 30 + height * 80, 17));
  if (rank === "A") return [glyph(path, 50, 70, 44)];
  return [
    s("rect", { x: 28, y: 24, width: 44, height: 92, rx: 4, class: "frame" }),
    letters(rank, 50, 82, 46),
    glyph(path, 50, 39, 16),
    s("g", { transform: "rotate(180 50 70)" }, glyph(path, 50, 39, 16)),
  ];
}

// numbers, for 66: "7"

const EYE = "M-46 0C-30-24-14-30 0-30 14-30 30-24 46 0 30 24 14 30 0 30-14 30-30 24-46 0ZM0-17A17 17 0 1 0 0 17 17 17 0 1 0 0-17Z";
const SWAP = "M-40-22H16V-38L46-14 16 10V-6H-40ZM40 22H-16V38L-46 14-16-10V6H40Z";
/** What a card of 66 does when it is discarded at once. */
const POWERS = /** @type {{[face: string]: [string, string]}} */ ({
  7: [EYE, "look at a card of yours"], 8: [EYE, "look at a card of yours"],
  9: [EYE, "look at another player's card"], 10: [EYE, "look at another player's card"],
  11: [SWAP, "exchange a card"], 12: [SWAP, "exchange a card"],
});

/** @type {Deck} */
const numbers = {
  name: (face) => face,
  draw(face) {
    const power = POWERS[face];
    return [
      ...corners(() => [letters(face, face.length > 1 ? 18 : 15, 26, 20), ...(face === "6" || face === "9" ? [s("path", { d: "M9 30H21", class: "rule" })] : [])]),
      letters(face, 50, 88, 56, "large"),
      ...(power ? [glyph(power[0], 50, 112, 22, "power")] : [s("path", { d: "M38 108H62", class: "rule" })]),
    ];
  },
};

// E-Card: "E", "C", "S"

const CROWN = "M-40 26L-46-22-20-2 0-38 20-2 46-22 40 26ZM-40 32H40V42H-40Z";
const PERSON = "M0-42A17 17 0 1 1 0-8 17 17 0 1 1 0-42ZM-34 42C-34 14-20 0 0 0 20 0 34 14 34 42Z";
const CHAIN = "M-30-20A18 18 0 1 1 2-4L-6-10A9 9 0 1 0-22-16 9 9 0 0 0-15-2L-13 8A18 18 0 0 1-30-20ZM30 20A18 18 0 1 1-2 4L6 10A9 9 0 1 0 22 16 9 9 0 0 0 15 2L13-8A18 18 0 0 1 30 20Z";
const FIGURES = /** @type {{[face: string]: {name: string, path: string, kind: string}}} */ ({
  E: { name: "Emperor", path: CROWN, kind: "emperor" },
  C: { name: "Citizen", path: PERSON, kind: "citizen" },
  S: { name: "Slave", path: CHAIN, kind: "slave" },
});

/** @type {Deck} */
const ecard = {
  name: (face) => FIGURES[face]?.name ?? face,
  draw(face) {
    const { name, path, kind } = FIGURES[face] ?? FIGURES.C;
    return [
      s("g", { class: kind },
        s("rect", { x: 9, y: 9, width: 82, height: 122, rx: 5, class: "frame" }),
        letters(name[0], 21, 31, 19),
        glyph(path, 50, 66, 54),
        letters(name, 50, 116, 17),
      ),
    ];
  },
};

// any other text, for games without a deck of their own

/** @type {Deck} */
const plain = {
  name: (face) => face,
  draw: (face) => [letters(face, 50, 80, face.length > 3 ? 18 : 40, "large")],
};

/** @type {{[name: string]: Deck}} */
export const DECKS = { french, numbers, ecard, plain };

/** The back of every card. */
export function drawBack() {
  const lines = [];
  for (let at = -130; at <= 230; at += 12) lines.push(`M${at} 0L${at + 140} 140M${at} 140L${at + 140} 0`);
  return [
    s("rect", { x: 7, y: 7, width: 86, height: 126, rx: 6, class: "back" }),
    s("svg", { x: 11, y: 11, width: 78, height: 118, viewBox: "11 11 78 118" }, s("path", { d: lines.join(""), class: "lattice" })),
    s("circle", { cx: 50, cy: 70, r: 15, class: "seal" }),
    s("path", { d: "M50 60L58 70 50 80 42 70Z", class: "mark" }),
  ];
}
