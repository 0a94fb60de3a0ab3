/** The tools for authors of games, beside the screen: a bar on a server with `--dev`, and a panel at a table. */

import { h } from "../lib/dom.js";
import { isDev } from "../lib/author.js";
import { isOn } from "../lib/settings.js";
import { AuthorBar } from "./bar.js";
import { AuthorPanel } from "./panel.js";

customElements.define("author-bar", AuthorBar);
customElements.define("author-panel", AuthorPanel);
document.head.append(h("link", { rel: "stylesheet", href: document.querySelector("meta[name=dev]")?.getAttribute("data-css") ?? "" }));

/** Show what belongs to the address of the page, and nothing else. */
export function showAuthor() {
  const table = tableOfAddress();
  place("author-bar", isDev() ? table : null);
  place("author-panel", isOn("panel") ? table || null : null);
}

/** The table of the address; "" on other screens. */
function tableOfAddress() {
  const [, kind, name] = location.pathname.split("/").map(decodeURIComponent);
  return kind === "table" ? (name ?? "") : "";
}

/** Have an element with this table; none, if that is `null`.
 * @param {string} tag @param {string | null} table */
function place(tag, table) {
  const shown = document.querySelector(tag);
  if (shown && table !== null && shown.getAttribute("table") === table) return;
  shown?.remove();
  if (table !== null) document.getElementById("main")?.before(h(tag, { table }));
}
