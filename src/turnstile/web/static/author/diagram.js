/** The machine of a game as a diagram: phases one below the other, each with its rows, and beside them a line from every row to the
 * phase that it leads to. All rows that lead to one phase share a line, so the text stays readable however many there are. */

/** @import {MachinePage, Hop} from "../../types/protocol" */
import { h, s } from "../lib/dom.js";

const HEAD = 34; // heights in pixels, as in author.css
const ROW = 24;
const GAP = 10;
const LANE = 11;
const FIRST_LANE = 14;

/** @typedef {{event: string, label: string, to: string, rule: string, y: number, isTaken: boolean}} Row */
/** @typedef {{name: string, isEnd: boolean, y: number, rows: Row[]}} Box */
/** @typedef {{to: string, from: number, until: number, rows: Row[], y: number, lane: number}} Line */

/** @param {MachinePage} machine
 * @param {string | null} phase the one that is lit
 * @param {readonly Hop[]} hops those of the newest step, if they are known */
export function diagram(machine, phase, hops) {
  const boxes = boxesOf(machine, hops);
  const lines = linesOf(boxes);
  const lanes = 1 + Math.max(-1, ...lines.map(({ lane }) => lane));
  const height = (boxes.at(-1)?.y ?? 0) + HEAD + (boxes.at(-1)?.rows.length ?? 0) * ROW;
  return h("div", { class: "machine" },
    h("ol", { class: "phases" }, boxes.map((box) => boxOf(box, phase, machine.start))),
    s("svg", { class: "ways", width: FIRST_LANE + lanes * LANE + 4, height, "aria-hidden": "true" }, lines.map(lineOf)),
  );
}

/** @param {MachinePage} machine @param {readonly Hop[]} hops
 * @returns {Box[]} */
function boxesOf(machine, hops) {
  let y = 0;
  return machine.phases.map(({ name, isEnd, rows }) => {
    const top = y;
    const found = rows.flatMap(({ event, rule, changes }) => changes.map(({ to, label }) => ({ event: event ?? "by itself", label, to, rule, isTaken: hops.some((hop) => hop.from === name && hop.to === to && hop.label === label && (hop.cause === event || event === null)) })));
    const placed = found.map((row, index) => ({ ...row, y: top + HEAD + (index + 0.5) * ROW }));
    y += HEAD + found.length * ROW + GAP;
    return { name, isEnd, y: top, rows: placed };
  });
}

/** A line for each phase that rows of other phases lead to. Short lines are further in; no two overlap.
 * @param {readonly Box[]} boxes
 * @returns {Line[]} */
function linesOf(boxes) {
  const found = boxes.flatMap((box) => {
    const rows = boxes.filter(({ name }) => name !== box.name).flatMap((other) => other.rows.filter(({ to }) => to === box.name));
    const y = box.y + HEAD / 2;
    return rows.length ? [{ to: box.name, rows, y, from: Math.min(y, ...rows.map((row) => row.y)), until: Math.max(y, ...rows.map((row) => row.y)), lane: 0 }] : [];
  });
  /** @type {Line[]} */
  const placed = [];
  for (const line of found.sort((one, other) => one.until - one.from - (other.until - other.from))) {
    const taken = new Set(placed.filter((each) => each.from <= line.until && line.from <= each.until).map(({ lane }) => lane));
    while (taken.has(line.lane)) line.lane += 1;
    placed.push(line);
  }
  return placed;
}

/** @param {Box} box @param {string | null} phase @param {string} start */
function boxOf({ name, isEnd, rows }, phase, start) {
  return h("li", { key: name, class: "phase", "aria-current": name === phase ? "step" : null },
    h("h3", null, name, name === start ? h("small", null, "start") : null, isEnd ? h("small", null, "end") : null),
    rows.length ? h("ul", null, rows.map((row) => h("li", { title: row.rule, "data-taken": row.isTaken }, h("span", { class: "event" }, row.event), h("span", { class: "label" }, row.label), h("span", { class: "to" }, row.to === name ? "↻ stays" : `→ ${row.to}`)))) : null,
  );
}

/** @param {Line} line */
function lineOf({ rows, y, lane, from, until }) {
  const x = FIRST_LANE + lane * LANE;
  const taken = rows.filter(({ isTaken }) => isTaken);
  const feet = (/** @type {readonly Row[]} */ some) => some.map((row) => `M0 ${row.y}H${x}`).join("");
  const bold = taken.length ? `${feet(taken)}M${x} ${Math.min(y, ...taken.map((row) => row.y))}V${Math.max(y, ...taken.map((row) => row.y))}M${x} ${y}H8` : null;
  return [
    s("path", { d: `${feet(rows)}M${x} ${from}V${until}M${x} ${y}H8` }),
    s("path", { d: `M1 ${y}l8 -4.5v9z`, class: "head" }),
    bold ? s("path", { d: bold, class: "taken" }) : null,
  ];
}
