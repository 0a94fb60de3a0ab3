/** The link that brings a friend to a table: to copy, to share, or as a QR code. Opening it takes a seat. */

/** @import {InvitationLink} from "../../types/protocol" */
import { announce, h } from "../lib/dom.js";
import { qrCode } from "../lib/qr.js";

/** The secret of a table that was opened on this device.
 * @param {string} table */
export function inviteOf(table) {
  return localStorage.getItem(`turnstile.invite.${table}`);
}

/** @param {string} table @param {string} invite */
export function keepInvite(table, invite) {
  localStorage.setItem(`turnstile.invite.${table}`, invite);
}

/** The match has begun: the secret is of no more use.
 * @param {string} table */
export function dropInvite(table) {
  localStorage.removeItem(`turnstile.invite.${table}`);
}

/** @param {string} table @param {InvitationLink | null} drawn @param {() => void} showQr */
export function invitation(table, drawn, showQr) {
  const link = linkTo(table);
  return h("div", { class: "invite", key: "invite" },
    h("label", { for: "invite-link" }, "Send this link to a friend"),
    h("input", { id: "invite-link", readonly: true, value: link, onclick: (/** @type {Event} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget).select() }),
    h("div", { class: "row" },
      h("button", { type: "button", class: "button", key: "copy", onclick: (/** @type {Event} */ event) => copy(link, /** @type {HTMLElement} */ (event.currentTarget)) }, "Copy link"),
      navigator.canShare?.({ url: link }) ? h("button", { type: "button", class: "button", key: "share", onclick: () => navigator.share({ url: link }).catch(() => undefined) }, "Share") : null,
      drawn ? null : h("button", { type: "button", class: "button", key: "qr", onclick: showQr }, "Show QR code"),
    ),
    drawn ? h("div", { class: "qr-code", key: "qr code" }, qrCode(drawn.qr), h("p", { class: "hint" }, "Scan this to open the table on a phone.")) : null,
  );
}

/** @param {string} table */
function linkTo(table) {
  const invite = inviteOf(table);
  return `${location.origin}/table/${table}${invite ? `#invite=${invite}` : ""}`;
}

/** @param {string} link @param {HTMLElement} button */
async function copy(link, button) {
  try {
    await navigator.clipboard.writeText(link);
    say(button, "Copied");
  } catch {
    /** @type {HTMLInputElement} */ (document.getElementById("invite-link")).select(); // a page without TLS may not copy by itself
    say(button, "Press Ctrl+C");
  }
}

/** @param {HTMLElement} button @param {string} text */
function say(button, text) {
  button.textContent = text;
  announce(text);
}
