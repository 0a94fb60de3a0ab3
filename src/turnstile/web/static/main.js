/** The page: registers every element, and shows the screen of the address. */

import { PlayCard } from "./card/card.js";
import { isDev } from "./lib/author.js";
import { h } from "./lib/dom.js";
import { useCode } from "./lib/me.js";
import { go, onPlace, secret, takeSecret } from "./lib/router.js";
import { isOn } from "./lib/settings.js";
import { AccountScreen } from "./screens/account.js";
import { SiteHeader } from "./screens/header.js";
import { NewTableScreen } from "./screens/new-table.js";
import { NothingScreen } from "./screens/nothing.js";
import { RulesScreen } from "./screens/rules.js";
import { StartScreen } from "./screens/start.js";
import { TableScreen } from "./table/table.js";

const ELEMENTS = {
  "play-card": PlayCard,
  "site-header": SiteHeader,
  "start-screen": StartScreen,
  "new-table-screen": NewTableScreen,
  "account-screen": AccountScreen,
  "rules-screen": RulesScreen,
  "nothing-screen": NothingScreen,
  "table-screen": TableScreen,
};
for (const [name, element] of Object.entries(ELEMENTS)) customElements.define(name, element);

const main = /** @type {HTMLElement} */ (document.getElementById("main"));
onPlace(() => void show());
void show();

async function show() {
  await useCodeOfAddress();
  const [, kind, name] = partsOf(location.pathname);
  const wanted = screenOf(kind, name);
  if (isDev() || isOn("panel") || document.querySelector("author-panel")) void import("./author/author.js").then(({ showAuthor }) => showAuthor());
  const shown = main.firstElementChild;
  const isInvited = secret("invite") !== null; // a table that is shown already takes no seat by itself
  if (shown?.localName === wanted.localName && sameAttributes(shown, wanted) && !isInvited) return;
  main.replaceChildren(wanted);
  if (shown) main.focus({ preventScroll: true });
}

/** The parts of a path; of one that is not well formed, itself.
 * @param {string} path */
function partsOf(path) {
  try {
    return path.split("/").map(decodeURIComponent);
  } catch {
    return ["", path];
  }
}

/** @param {string | undefined} kind @param {string | undefined} name */
function screenOf(kind, name) {
  if (kind === "table" && name) return h("table-screen", { table: name });
  if (kind === "rules" && name) return h("rules-screen", { game: name });
  if (kind === "new") return h("new-table-screen", { game: new URLSearchParams(location.search).get("game") });
  if (kind === "account") return h("account-screen");
  return h(kind ? "nothing-screen" : "start-screen");
}

/** @param {Element} one @param {Element} other */
function sameAttributes(one, other) {
  return one.getAttribute("table") === other.getAttribute("table") && one.getAttribute("game") === other.getAttribute("game");
}

/** A link from another device has a code behind `#`: it works once, and does not stay in the address. */
async function useCodeOfAddress() {
  const code = takeSecret("code");
  if (code === null) return;
  try {
    await useCode(code);
    go("/account", { isReplacing: true });
  } catch (fault) {
    sessionStorage.setItem("turnstile.problem", fault instanceof Error ? fault.message : "");
    go("/account", { isReplacing: true });
  }
}
