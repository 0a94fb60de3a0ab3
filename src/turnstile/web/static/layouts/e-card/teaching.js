/** E-Card for newcomers: hints for the first match, pictures for the rules, keys. */

/** @import {GameView} from "../../../types/e-card" */
/** @import {Hint, Scene} from "../../table/scene.js" */
import { figure } from "../../card/figure.js";

const ROUNDS_IN_SIDE = 3;

/** @param {Scene<GameView>} scene @returns {readonly Hint[]} */
export function hints({ view, seat, actions }) {
  if (!actions.length || !view.roles) return [];
  const isEmperor = view.roles.emperorPlayer === seat;
  const last = view.revealed.at(-1);
  return [
    ...(view.decisiveRoundIndex >= ROUNDS_IN_SIDE ? [{ name: "switch", text: `The sides have switched: now you hold the ${isEmperor ? "Emperor" : "Slave"}. They switch after every third round.` }] : []),
    ...(last?.winner === null ? [{ name: "draw", text: "Two Citizens are a draw, and both are gone. The fewer are left, the nearer the Emperor and the Slave." }] : []),
    ...(last?.winner ? [{ name: "round", text: "The round is decided, and its winner has a point. You both hold five cards again; twelve rounds make a match." }] : []),
    { name: "lay", text: `You hold the ${isEmperor ? "Emperor" : "Slave"} and four Citizens. Both players lay a card face down, then both are turned over. ${isEmperor ? "Only the Slave beats your Emperor." : "Catch the Emperor with your Slave; any Citizen beats it."}` },
  ];
}

export function pictures() {
  const beats = { between: "beats" };
  return [
    figure("ecard", ["E", "C"], "The Emperor rules the Citizens.", beats),
    figure("ecard", ["C", "S"], "A Citizen stands above the Slave.", beats),
    figure("ecard", ["S", "E"], "The Slave has nothing to lose, and brings the Emperor down.", beats),
  ];
}

export const keys = /** @type {const} */ ([["1 to 5", "your cards, from the left"]]);
