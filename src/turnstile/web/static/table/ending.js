/** After the match: the result, a rematch, the replay, whether the deal was fair, and the record. */

/** @import {Scene} from "./scene.js" */
/** @import {TableState} from "./state.js" */
/** @import {AfterMatch} from "./after.js" */
/** @import {Result, TableStatus} from "../../types/protocol" */
/** @import {Fairness} from "../fair/check.js" */
import { h } from "../lib/dom.js";
import { stepBy } from "../lib/replay.js";
import { isLowBest, placesOf, reasonWords, winnerWords } from "../lib/result.js";
import { capital, count, list } from "../lib/words.js";

/** @param {TableState} state @param {Scene} scene @param {(type: string) => Promise<unknown>} command @param {AfterMatch} after */
export function ending(state, scene, command, after) {
  if (state.moment !== null) return replay(state, state.moment, after);
  const { status, seat } = scene;
  const result = /** @type {Result} */ (status.result);
  const isWon = seat !== null && result.winners.includes(seat);
  return h("div", { class: `result ${isWon ? "won" : ""}`, key: "result" },
    h("h2", null, `${winnerWords(result, scene)}${isWon ? "!" : "."}`),
    reasonWords(result, scene) ? h("p", { class: "reason" }, reasonWords(result, scene)) : null,
    places(result, scene),
    wish(scene),
    h("div", { class: "actions" },
      seat === null ? null : rematch(scene, command),
      state.moments.length ? h("button", { type: "button", class: "button", onclick: () => after.show(stepBy(null, -1, state.moments.length)) }, "Replay") : null,
      h("button", { type: "button", class: "button", "aria-disabled": state.fairness === "checking" ? "true" : null, onclick: after.check }, state.fairness === "checking" ? "Checking…" : "Was it fair?"),
      h("button", { type: "button", class: "button", onclick: after.download }, "Download the record"),
      h("a", { class: "button", href: "/" }, "All tables"),
    ),
    h("div", { class: "fairness", role: "status" }, fairness(state.fairness)),
  );
}

/** All players by place, and what their points are.
 * @param {Result} result @param {Scene} scene */
function places(result, { name }) {
  const placed = placesOf(result);
  if (!placed.length) return null;
  return [
    h("ol", { class: "places", "aria-label": "Places" }, placed.map(({ player, score, place }) => h("li", { key: `place ${player}` }, h("span", { class: "rank" }, `${place}.`), h("span", { class: "name" }, capital(name(player))), h("span", { class: "score" }, count(score, "point"))))),
    isLowBest(result) ? h("p", { class: "hint" }, "The fewest points win.") : null,
  ];
}

/** @param {Scene} scene */
function wish({ status, seat, name }) {
  if (hasNoRematch(status)) return h("p", { class: "wish" }, "There is no rematch: the next table cannot be opened.");
  const people = status.agreed.filter((player) => player !== seat && status.seats.some((each) => each.player === player && each.kind !== "bot"));
  const hasAgreed = seat !== null && status.agreed.includes(seat);
  return people.length && !hasAgreed ? h("p", { class: "wish" }, `${capital(list(people.map(name)))} would like a rematch.`) : null;
}

/** @param {Scene} scene @param {(type: string) => Promise<unknown>} command */
function rematch({ status, seat }, command) {
  if (status.successor) return h("a", { class: "button primary", href: `/table/${status.successor}` }, "To the rematch");
  if (hasNoRematch(status)) return null;
  const hasAgreed = seat !== null && status.agreed.includes(seat);
  return h("button", { type: "button", class: "button primary", "aria-disabled": hasAgreed ? "true" : null, onclick: () => !hasAgreed && command("rematch") }, hasAgreed ? "Waiting for the others…" : "Rematch");
}

/** Whether the table was closed because the next one cannot be opened.
 * @param {TableStatus} status */
function hasNoRematch({ phase, successor }) {
  return phase === "Closed" && !successor;
}

// the replay

/** @param {TableState} state @param {number} moment @param {AfterMatch} after */
function replay({ moments }, moment, { show }) {
  const last = moments.length - 1;
  const step = (/** @type {number} */ by) => () => show(stepBy(moment, by, moments.length));
  const slide = (/** @type {Event} */ event) => show(Number(/** @type {HTMLInputElement} */ (event.currentTarget).value));
  const leave = (/** @type {KeyboardEvent} */ event) => {
    if (moment === last && event.key === "ArrowRight") show(null);
  };
  return h("div", { class: "replay", key: "replay", role: "group", "aria-label": "Replay" },
    h("button", { type: "button", class: "button", key: "back", "aria-label": "One step back", "aria-disabled": moment === 0 ? "true" : null, onclick: step(-1) }, "‹"),
    h("input", { type: "range", key: "slider", min: 0, max: last, value: moment, "aria-label": "Moment of the match", "aria-valuetext": `Step ${moment + 1} of ${last + 1}`, oninput: slide, onkeydown: leave }),
    h("button", { type: "button", class: "button", key: "on", "aria-label": moment === last ? "Leave the replay" : "One step on", onclick: step(1) }, "›"),
    h("div", { class: "step", key: "step" }, h("p", null, `Step ${moment + 1} of ${last + 1}`), h("button", { type: "button", class: "quiet", onclick: () => show(null) }, "Back to the result")),
  );
}

// fairness

/** @param {TableState["fairness"]} found */
function fairness(found) {
  if (found === null || found === "checking") return null;
  if (typeof found === "string") return h("p", { class: "refusal" }, found);
  return [
    h("h3", { "data-fair": found.isFair }, found.isFair ? "✓ The deal was fair." : "✗ Something is wrong with this deal."),
    h("ul", null, found.checks.map(({ name, isRight, text }) => h("li", { key: name, "data-right": isRight }, h("span", { "aria-label": isRight ? "right" : "wrong", role: "img" }, isRight ? "✓" : "✗"), " ", text))),
    found.seed ? proof(found) : null,
  ];
}

/** @param {Fairness} found */
function proof({ seed, commitment }) {
  return h("details", { key: "proof" },
    h("summary", { class: "quiet" }, "Check it yourself"),
    h("dl", null, h("dt", null, "Commitment, shown before the first move"), h("dd", null, h("code", null, commitment)), h("dt", null, "Seed, shown at the end"), h("dd", null, h("code", null, seed))),
    h("p", null, "Your browser has checked this by itself. In a terminal: ", h("code", null, `printf %s '${seed}' | sha256sum`), ", and ", h("code", null, "turnstile verify"), " for the whole record."),
  );
}
