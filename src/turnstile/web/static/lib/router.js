/** Addresses of the page, without loading it again. */

/** @typedef {{path: string, fragment: URLSearchParams}} Place */

/** @type {Set<() => void>} */
const listeners = new Set();

/** Go to another address of the page.
 * @param {string} path
 * @param {{isReplacing?: boolean}} [options] */
export function go(path, { isReplacing = false } = {}) {
  history[isReplacing ? "replaceState" : "pushState"](null, "", path);
  for (const listener of listeners) listener();
  if (!isReplacing) scrollTo(0, 0);
}

/** @param {() => void} listener */
export function onPlace(listener) {
  listeners.add(listener);
  addEventListener("popstate", listener);
  addEventListener("hashchange", () => location.hash && listener());
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href^='/']");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (link.hasAttribute("download") || link.getAttribute("target")) return;
    event.preventDefault();
    go(link.getAttribute("href") ?? "/");
  });
}

/** What stands behind `#`.
 * @param {string} name */
export function secret(name) {
  return new URLSearchParams(location.hash.slice(1)).get(name);
}

/** What stands behind `#`, once: a secret there is taken out of the address as soon as it is read.
 * @param {string} name */
export function takeSecret(name) {
  const value = secret(name);
  if (value !== null) history.replaceState(null, "", location.pathname + location.search);
  return value;
}
