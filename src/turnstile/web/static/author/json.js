/** JSON for people: what fits on a line stays on one. */

const LINE = 64; // characters

/** @param {unknown} value @param {string} [indent]
 * @returns {string} */
export function pretty(value, indent = "") {
  const short = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, " ") ?? "null";
  if (typeof value !== "object" || value === null || indent.length + short.length <= LINE) return short;
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const items = isList ? value.map((each) => inner + pretty(each, inner)) : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${pretty(each, inner)}`);
  return `${isList ? "[" : "{"}\n${items.join(",\n")}\n${indent}${isList ? "]" : "}"}`;
}
