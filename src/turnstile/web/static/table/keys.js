/** Which element a key stands for: the one that has it as `aria-keyshortcuts`. */

/** The element of a digit or letter: in the row that has the focus, among the player's own choices, or anywhere. A digit that
 * is given to no element counts the choices; before the turn, the cards that can be queued.
 * @param {Element} table @param {string} key
 * @returns {HTMLElement | null | undefined} */
export function elementOfKey(table, key) {
  if (!/^[A-Z0-9]$/.test(key)) return null;
  const rooms = [document.activeElement?.closest("[role=group]"), table.querySelector(".hand"), table];
  const found = rooms.map((room) => room?.querySelector(`[aria-keyshortcuts="${key}"]`)).find(Boolean);
  const offered = table.querySelectorAll("[data-choice]:not([aria-keyshortcuts])");
  const choices = offered.length ? offered : table.querySelectorAll("[data-early]");
  return /** @type {HTMLElement | undefined} */ (found ?? choices[Number(key) - 1]);
}
