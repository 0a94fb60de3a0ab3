/** Short motions with one easing. None while the tab is hidden, or when the system asks for reduced motion. */

export const MOVE_MS = 220;
const SLIDE = "slide";
const EASING = "cubic-bezier(0.2, 0.7, 0.2, 1)";

export function isCalm() {
  return document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Change a part of the page; whatever has a key (`data-key`) moves from where it was to where it is then. A new element
 * with `data-from` comes from the element with that key.
 * @param {Element} root
 * @param {() => void} change
 * @param {boolean} isJump whether to show the change at once */
export function moving(root, change, isJump = false) {
  if (isJump || isCalm()) return change();
  const before = places(root);
  change();
  for (const animation of root.getAnimations({ subtree: true })) if (animation.id === SLIDE) animation.cancel();
  const after = places(root);
  /** @type {Map<Element, [number, number]>} */
  const away = new Map(); // how far each element starts from its place
  for (const [key, { element, place }] of after) {
    const from = before.get(key) ?? before.get(element.dataset.from ?? "");
    const outer = away.get(element.parentElement?.closest("[data-key]") ?? root) ?? [0, 0];
    away.set(element, from ? slide(element, from.place, place, outer) : outer);
    if (!from && before.size && element.localName === "play-card") appear(element);
  }
}

/** Where everything with a key is, in the order of the page.
 * @param {Element} root */
function places(root) {
  const keyed = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-key]")]);
  return new Map(keyed.map((element) => [element.dataset.key ?? "", { element, place: element.getBoundingClientRect() }]));
}

/** Let an element slide to its place. `outer`: how far the element around it starts from its own place, and takes it along.
 * @param {HTMLElement} element @param {DOMRect} from @param {DOMRect} to @param {[number, number]} outer
 * @returns {[number, number]} how far it starts from its place */
function slide(element, from, to, outer) {
  const [x, y] = [from.left - to.left, from.top - to.top];
  const [own, down] = [x - outer[0], y - outer[1]];
  const scale = to.width ? from.width / to.width : 1;
  if (Math.abs(own) < 1 && Math.abs(down) < 1 && Math.abs(scale - 1) < 0.01) return outer;
  const start = { transform: `translate(${own}px, ${down}px) scale(${scale})`, transformOrigin: "0 0", zIndex: 1 };
  element.animate([start, { ...start, transform: "none" }], { id: SLIDE, duration: MOVE_MS, easing: EASING });
  return [x, y];
}

/** @param {HTMLElement} element */
function appear(element) {
  element.animate([{ opacity: 0, transform: "translateY(-12px)" }, { opacity: 1, transform: "none" }], { duration: MOVE_MS, easing: EASING });
}

/** Turn a card over: `show` is called when it is seen from its edge.
 * @param {HTMLElement} element @param {() => void} show */
export function turnOver(element, show) {
  if (isCalm() || !element.isConnected) return show();
  const half = { duration: MOVE_MS / 2, easing: "ease-in" };
  element.animate([{ transform: "none" }, { transform: "rotateY(90deg)" }], half).onfinish = () => {
    show();
    element.animate([{ transform: "rotateY(90deg)" }, { transform: "none" }], { ...half, easing: EASING });
  };
}
