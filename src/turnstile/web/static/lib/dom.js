/** Elements as values: `h` makes them, and `morph` changes what is on the page into them. An element that is on the page
 * already stays, with its focus and its animation; a key (`key: "ana"`) says which one it is among its siblings. */

const SVG = "http://www.w3.org/2000/svg";

/** @import {Child, Children, MakeElement, Properties} from "../../types/dom" */

/** An element of HTML: `h("p", { class: "ask", key: "ask" }, "Your turn.")`. Properties: see `types/dom.d.ts`.
 * @type {MakeElement} */
export const h = (/** @type {string} */ tag, /** @type {Properties | null | undefined} */ properties, /** @type {Children[]} */ ...children) =>
  fill(document.createElement(tag), properties, children);

/** The same for SVG.
 * @param {string} tag @param {Properties | null} [properties] @param {...Children} children
 * @returns {SVGElement} */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** @template {HTMLElement | SVGElement} E
 * @param {E} element @param {Properties | null | undefined} properties @param {Children[]} children */
function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "vars") for (const [each, to] of Object.entries(value)) element.style.setProperty(each, String(to));
    else if (name.startsWith("on")) /** @type {any} */ (element)[name] = value;
    else element.setAttribute(name === "key" ? "data-key" : name, value === true ? "" : String(value));
  }
  element.append(...nodes(children));
  return element;
}

/** @param {Children[]} children @returns {Node[]} */
function nodes(children) {
  return /** @type {Child[]} */ (/** @type {any[]} */ (children).flat(Infinity))
    .filter((child) => child !== null && child !== undefined && child !== false && child !== "")
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/** Make these the children of an element.
 * @param {Element} parent
 * @param {...Children} children */
export function morph(parent, ...children) {
  morphChildren(parent, nodes(children));
}

/** @param {Element} parent @param {Node[]} wanted */
function morphChildren(parent, wanted) {
  const keyed = new Map([...parent.children].flatMap((child) => (keyOf(child) ? [[keyOf(child), child]] : [])));
  const wantedKeys = new Set(wanted.map(keyOf));
  /** @type {Node | null} */
  let next = parent.firstChild;
  for (const fresh of wanted) {
    while (next && keyOf(next) && !wantedKeys.has(keyOf(next))) next = removeAndStep(next);
    const key = keyOf(fresh);
    const old = key ? keyed.get(key) : next && !keyOf(next) ? next : null;
    if (old && isAlike(old, fresh)) {
      if (old === next) next = old.nextSibling;
      else parent.insertBefore(old, next);
      morphNode(old, fresh);
    } else {
      parent.insertBefore(fresh, next);
      if (old && old === next && !key) next = removeAndStep(old);
    }
  }
  while (next) next = removeAndStep(next);
}

/** @param {Node} node */
function removeAndStep(node) {
  const after = node.nextSibling;
  /** @type {ChildNode} */ (node).remove();
  return after;
}

/** @param {Node} node */
function keyOf(node) {
  return node instanceof Element ? node.getAttribute("data-key") : null;
}

/** @param {Node} old @param {Node} fresh */
function isAlike(old, fresh) {
  return old.nodeType === fresh.nodeType && old.nodeName === fresh.nodeName;
}

/** @param {Node} old @param {Node} fresh */
function morphNode(old, fresh) {
  if (!(old instanceof Element) || !(fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== "style" && !(name === "open" && old.matches("details, dialog"))) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes]) {
    if (name === "style" || old.getAttribute(name) === value) continue;
    old.setAttribute(name, value);
    if (old instanceof HTMLInputElement && name === "value") old.value = value;
  }
  if (old instanceof HTMLElement && fresh instanceof HTMLElement) {
    if (old.style.cssText !== fresh.style.cssText) old.style.cssText = fresh.style.cssText;
    for (const name of /** @type {const} */ (["onclick", "onchange", "oninput", "onsubmit", "onkeydown", "ontoggle"])) /** @type {any} */ (old)[name] = fresh[name];
  }
  if (!old.localName.includes("-")) morphChildren(old, [...fresh.childNodes]); // a custom element has its own insides
}

/** Say something to screen readers.
 * @param {string} text */
export function announce(text) {
  const live = document.getElementById("live");
  if (live && text) live.textContent = text;
}
