/** After the match: the result, a rematch, the record. */

/** @import {Scene} from "./scene.js" */
/** @import {Result} from "../../types/protocol" */
import { h } from "../lib/dom.js";
import { token } from "../lib/me.js";
import { capital, list, resultWords, winnerWords } from "../lib/words.js";

/** @param {Scene} scene @param {(type: string) => Promise<unknown>} command */
export function ending(scene, command) {
  const { status, seat, name } = scene;
  const result = /** @type {Result} */ (status.result);
  const isWon = seat !== null && result.winners.includes(seat);
  const hasAgreed = seat !== null && status.agreed.includes(seat);
  const others = status.agreed.filter((player) => player !== seat && status.seats.some((each) => each.player === player && each.kind !== "bot"));
  return h("div", { class: `result ${isWon ? "won" : ""}` },
    h("h2", null, `${winnerWords(result.winners, scene)}${isWon ? "!" : "."}`),
    h("p", null, resultWords(result, scene).replace(/^[^.]*\. ?/, "") || (result.how === "played" ? "" : resultWords(result, scene))),
    others.length && !hasAgreed ? h("p", { class: "wish" }, `${capital(list(others.map(name)))} would like a rematch.`) : null,
    h("div", { class: "actions" },
      seat === null ? null : h("button", { type: "button", class: "button primary", "aria-disabled": hasAgreed ? "true" : null, onclick: () => !hasAgreed && command("rematch") }, hasAgreed ? "Waiting for the others…" : "Rematch"),
      h("button", { type: "button", class: "button", onclick: () => download(status.table) }, "Download the record"),
      h("a", { class: "button", href: "/" }, "All tables"),
    ),
  );
}

/** Save the record as a file. The token goes in a header, so a plain link is not enough.
 * @param {string} table */
async function download(table) {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : undefined;
  const response = await fetch(`/api/tables/${table}/record`, { headers });
  const link = h("a", { href: URL.createObjectURL(await response.blob()), download: `${table}.jsonl` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
