/** What a player does at a table: moves and other commands, joining, the link for friends, hints that were read. */

/** @import {Store} from "../lib/store.js" */
/** @import {Tagged} from "../lib/fold.js" */
/** @import {Wire} from "../lib/wire.js" */
/** @import {Scene} from "./scene.js" */
/** @import {TableState} from "./state.js" */
import { announce } from "../lib/dom.js";
import { call, Problem } from "../lib/http.js";
import { ensurePlayer, token } from "../lib/me.js";
import { Refused } from "../lib/wire.js";
import { hintFor, keepSeen } from "./hints.js";
import { inviteOf } from "./invitation.js";

/** @typedef {{table: () => string, wire: () => Wire | null, scene: () => Scene}} Around */

export class Doing {
  #store;
  #around;
  #answeredBy = 0; // the update that shows what the move without an answer has done

  /** @param {Store<TableState>} store @param {Around} around */
  constructor(store, around) {
    this.#store = store;
    this.#around = around;
  }

  /** A command. Its refusal is shown beside what was tried.
   * @param {string} type @param {object} [fields] @param {Tagged | null} [move] the move that it makes
   * @returns {Promise<number | undefined>} the newest update; none if it was refused */
  command = async (type, fields, move = null) => {
    this.#store.set({ refusal: "", refused: null });
    try {
      return await this.#around.wire()?.command(type, fields);
    } catch (fault) {
      if (!(fault instanceof Refused)) throw fault;
      this.#refuse(fault.message, { refused: move, sent: null });
    }
  };

  join = async () => {
    const had = token();
    const invite = inviteOf(this.#around.table());
    await this.#ask(async () => {
      await ensurePlayer();
      if (had === null) this.#around.wire()?.connect();
      await this.command("join", invite ? { invite } : {});
    });
  };

  /** @param {Tagged} move */
  act = async (move) => {
    const { stream, seenHints, layout, status } = this.#store.state;
    const hint = layout && hintFor(this.#around.scene(), layout, seenHints);
    this.#store.set({ sent: move, queued: null, ...(hint && status ? { seenHints: keepSeen(status.game, hint.name) } : {}) });
    const seq = await this.command("act", { move, seen: stream.seq }, move);
    if (seq === undefined) return;
    if (seq > this.#store.state.stream.seq) this.#answeredBy = seq;
    else this.#store.set({ sent: null, raised: null });
  };

  /** Whether this update shows what the last move has done; it says so once.
   * @param {number} seq */
  isAnsweredBy(seq) {
    const isAnswered = this.#answeredBy > 0 && seq >= this.#answeredBy;
    if (isAnswered) this.#answeredBy = 0;
    return isAnswered;
  }

  /** The player has read a hint.
   * @param {string} name */
  dismissHint = (name) => {
    const { status } = this.#store.state;
    if (status) this.#store.set({ seenHints: keepSeen(status.game, name) });
  };

  /** Ask the server for the link to this table as a QR code. The secret goes in the body, not in the address. */
  showQr = () => {
    const table = this.#around.table();
    return this.#ask(async () => this.#store.set({ invitation: await call("POST", `/api/tables/${table}/invitation`, { invite: inviteOf(table) }) }));
  };

  /** @param {() => Promise<void>} request */
  async #ask(request) {
    try {
      await request();
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      this.#refuse(fault.message, {});
    }
  }

  /** @param {string} refusal @param {Partial<TableState>} rest */
  #refuse(refusal, rest) {
    this.#store.set({ refusal, ...rest });
    announce(refusal);
  }
}
