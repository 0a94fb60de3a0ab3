/** What a player has switched on or off on this device. It is kept in local storage only. */

/** What holds until the player decides otherwise. */
const AT_FIRST = { "one-tap": false, sound: false, forced: true, panel: false };
/** @typedef {keyof typeof AT_FIRST} Setting
 * `one-tap`: the first tap plays a card; `sound`: sounds; `forced`: a card plays itself if it is the only legal one;
 * `panel`: the author's panel beside the table */

/** @param {Setting} name */
export function isOn(name) {
  const stored = localStorage.getItem(`turnstile.${name}`);
  return stored === null ? AT_FIRST[name] : stored === "yes";
}

/** @param {Setting} name @param {boolean} value */
export function switchTo(name, value) {
  localStorage.setItem(`turnstile.${name}`, value ? "yes" : "no");
}
