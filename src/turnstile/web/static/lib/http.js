/** The HTTP interface of the server. The token of the player goes with every request, in its header. */

/** A request that was refused, or could not be made: its code is for programs, its sentence for people. */
export class Problem extends Error {
  /** @param {string} code @param {string} message @param {number} status */
  constructor(code, message, status) {
    super(message);
    this.code = code;
    this.status = status;
  }
}

let token = /** @type {string | null} */ (null);

/** @param {string | null} value */
export function useToken(value) {
  token = value;
}

/** Raises `Problem`.
 * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} */
export async function call(method, path, body) {
  const headers = new Headers();
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (body) headers.set("Content-Type", "application/json");
  let response;
  try {
    response = await fetch(path, { method, headers, body: body ? JSON.stringify(body) : undefined, credentials: "omit" });
  } catch {
    throw new Problem("Offline", "The server cannot be reached; try again.", 0);
  }
  const text = await response.text();
  if (response.ok) return response.headers.get("Content-Type")?.startsWith("application/json") ? JSON.parse(text) : text;
  throw problemOf(text, response.status);
}

/** @param {string} text @param {number} status */
function problemOf(text, status) {
  try {
    const { error } = JSON.parse(text);
    return new Problem(error.code, error.message, status);
  } catch {
    return new Problem("Unknown", `The server has answered with status ${status}.`, status);
  }
}

/** The server-sent events of an address, as JSON. The browser connects again by itself.
 * @param {string} path
 * @param {{onEvent: (data: any) => void, onState: (isOpen: boolean) => void}} handlers
 * @returns {() => void} stops it */
export function listen(path, { onEvent, onState }) {
  const source = new EventSource(path);
  source.onopen = () => onState(true);
  source.onerror = () => onState(false);
  source.onmessage = (event) => onEvent(JSON.parse(event.data));
  return () => source.close();
}
