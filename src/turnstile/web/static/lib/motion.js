/** Short motions with one easing. None while the tab is hidden, or when the system asks for reduced motion. */

export const MOVE_MS = 220;
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
  for (const element of root.querySelectorAll("[data-key]")) {
    if (!(element instanceof HTMLElement)) continue;
    const from = before.get(element.dataset.key ?? "") ?? before.get(element.dataset.from ?? "");
    if (from) slide(element, from, element.getBoundingClientRect());
    else if (before.size && element.localName === "play-card") appear(element);
  }
}

/** @param {Element} root */
function places(root) {
  const keyed = /** @type {HTMLElement[]} */ ([...root.querySelectorAll("[data-key]")]);
  return new Map(keyed.map((element) => [element.dataset.key ?? "", element.getBoundingClientRect()]));
}

/** @param {HTMLElement} element @param {DOMRect} from @param {DOMRect} to */
function slide(element, from, to) {
  const [x, y] = [from.left - to.left, from.top - to.top];
  if (Math.abs(x) < 1 && Math.abs(y) < 1) return;
  const scale = to.width ? from.width / to.width : 1;
  element.animate(
    [{ transform: `translate(${x}px, ${y}px) scale(${scale})`, transformOrigin: "0 0", zIndex: 1 }, { transform: "none", transformOrigin: "0 0", zIndex: 1 }],
    { duration: MOVE_MS, easing: EASING },
  );
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
