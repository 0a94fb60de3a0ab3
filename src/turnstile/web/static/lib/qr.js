/** A QR code as our own element: of the server's picture only its path is used. */

import { s } from "./dom.js";

/** @param {string} svg the picture that the server has drawn */
export function qrCode(svg) {
  const found = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  const [width, height] = [Number(found.getAttribute("width") ?? 33), Number(found.getAttribute("height") ?? 33)];
  const path = found.querySelector("path");
  const box = found.getAttribute("viewBox") ?? `0 0 ${width} ${height}`;
  return s("svg", { class: "qr", viewBox: box, role: "img", "aria-label": "QR code of the link" }, s("path", { d: path?.getAttribute("d") ?? "", transform: path?.getAttribute("transform") ?? null }));
}
