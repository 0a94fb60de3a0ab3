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
let onVoidToken = () => {};

/** @param {string | null} value */
export function useToken(value) {
  token = value;
}

/** Call back when the server does not know the token any more.
 * @param {() => void} listener */
export function whenTokenIsVoid(listener) {
  onVoidToken = listener;
}

const AGAIN_MS = [300, 1500];
const LISTEN_AGAIN_MS = 3000;

/** Make a request. One with an `id` in its body has its effect once, so it is made again if its answer is lost. Raises `Problem`.
 * @param {"GET" | "POST" | "PATCH" | "DELETE"} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>} */
export async function call(method, path, body) {
  const headers = new Headers();
  if (token !== null) headers.set("Authorization", `Bearer ${token}`);
  if (body) headers.set("Content-Type", "application/json");
  const request = { method, headers, body: body ? JSON.stringify(body) : undefined, credentials: /** @type {const} */ ("omit") };
  const response = await reach(path, request, method === "GET" || (body && "id" in body) ? AGAIN_MS : []);
  const text = await response.text();
  if (response.ok) return response.headers.get("Content-Type")?.startsWith("application/json") ? JSON.parse(text) : text;
  const problem = problemOf(text, response.status);
  if (problem.code === "BadToken" && headers.get("Authorization") === `Bearer ${token}`) {
    onVoidToken();
    if (method === "GET") return call(method, path); // as anyone
  }
  throw problem;
}

/** Load something for a screen: try again until it succeeds, or the screen is left. What goes wrong is told.
 * @param {Element} screen @param {() => Promise<void>} load @param {(problem: string) => void} tell */
export async function loadFor(screen, load, tell) {
  while (screen.isConnected) {
    try {
      await load();
      return tell("");
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      tell(fault.message);
      if (fault.status !== 0) return;
    }
    await new Promise((resolve) => setTimeout(resolve, LISTEN_AGAIN_MS));
  }
}

/** @param {string} path @param {RequestInit} request @param {readonly number[]} pauses before each further attempt
 * @returns {Promise<Response>} */
async function reach(path, request, [pause, ...pauses]) {
  try {
    return await fetch(path, request);
  } catch {
    if (pause === undefined) throw new Problem("Offline", "The server cannot be reached; try again.", 0);
    await new Promise((resolve) => setTimeout(resolve, pause));
    return reach(path, request, pauses);
  }
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
  /** @type {EventSource} */
  let source;
  let timer = /** @type {any} */ (null);
  const connect = () => {
    source = new EventSource(path);
    source.onopen = () => onState(true);
    source.onmessage = (event) => onEvent(JSON.parse(event.data));
    source.onerror = () => {
      onState(false);
      if (source.readyState === EventSource.CLOSED) timer = setTimeout(connect, LISTEN_AGAIN_MS); // the server has refused it
    };
  };
  connect();
  return () => (clearTimeout(timer), source.close());
}
