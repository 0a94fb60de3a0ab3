/** The seats of one person at a table. The page shows one of them; the others are connected in the background, so that no
 * seat counts as away and a gated game goes on. */

/** @import {ServerFrame} from "../lib/wire.js" */
import { companionAt, companions } from "../lib/author.js";
import { player as ownPlayer } from "../lib/me.js";
import { Wire } from "../lib/wire.js";

/** @typedef {{player: string | null, name: string, token: string}} Held a seat; `null` is the player's own */

/** The seats of this person, as the newest status of the table has them.
 * @param {readonly ServerFrame[]} frames
 * @returns {Held[]} */
export function seatsHeld(frames) {
  const status = frames.findLast((frame) => frame.type === "status");
  const own = ownPlayer();
  if (status?.type !== "status" || !own) return [];
  const known = new Map(companions().map((each) => [each.player, each]));
  return status.seats.flatMap(/** @returns {Held[]} */ ({ player }) => {
    if (player === own.player) return [{ player: null, name: own.name, token: own.token }];
    const companion = known.get(player);
    return companion ? [companion] : [];
  });
}

/** Connections of the seats that the page does not show. They acknowledge what comes, and remember who may move. */
export class OtherSeats {
  #table;
  #onChange;
  /** @type {Map<string | null, {wire: Wire, mayMove: boolean}>} */
  #seats = new Map();

  /** @param {string} table @param {() => void} onChange */
  constructor(table, onChange) {
    this.#table = table;
    this.#onChange = onChange;
  }

  /** Connect the seats that are not shown, and no others.
   * @param {readonly ServerFrame[]} frames of the seat that is shown */
  follow(frames) {
    const shown = companionAt(this.#table)?.player ?? null;
    for (const [player, { wire }] of this.#seats) {
      if (player !== shown) continue;
      wire.close();
      this.#seats.delete(player);
    }
    for (const held of seatsHeld(frames)) if (held.player !== shown && !this.#seats.has(held.player)) this.#connect(held);
  }

  /** @param {string | null} player */
  mayMove(player) {
    return this.#seats.get(player)?.mayMove ?? false;
  }

  close() {
    for (const { wire } of this.#seats.values()) wire.close();
    this.#seats.clear();
  }

  /** @param {Held} held */
  #connect({ player, token }) {
    const wire = new Wire({
      url: `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/play`,
      table: this.#table,
      token: () => token,
      onFrame: (frame) => this.#take(player, frame),
      onConnection: () => {},
    });
    this.#seats.set(player, { wire, mayMove: false });
    wire.connect();
  }

  /** @param {string | null} player @param {ServerFrame} frame */
  #take(player, frame) {
    const seat = this.#seats.get(player);
    if (frame.type !== "update" || !seat) return;
    seat.wire.acknowledge(frame.seq);
    const mayMove = frame.actions.length > 0;
    if (mayMove === seat.mayMove) return;
    seat.mayMove = mayMove;
    this.#onChange();
  }
}
