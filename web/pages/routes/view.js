// View state of the page "Routes": filter, folded cards, selection. Not here: the robot's routes
// (state.js).

import { Connector } from "./diagram/connect.js";
import { WireGeometry } from "./diagram/wires.js";

// as in page.css: a list instead of the diagram
const narrow = matchMedia("(max-width: 820px)");

/** In the list, cards are folded at first because they are long. @param {string} card */
export const isFolded = (card) => narrow.matches !== view.toggled.has(card);

/** @param {string} card */
export function toggleFold(card) {
  if (!view.toggled.delete(card)) view.toggled.add(card);
}

export const view = {
  /** Shows only sources of this class; empty: all. */
  kind: "",
  /** Sources that show all values, not only those that routes use. @type {Set<string>} */
  wide: new Set(),
  /** Cards folded or unfolded by the user, by port. @type {Set<string>} */
  toggled: new Set(),
  /** Output whose reasons are shown: "head.pan". */
  why: "",
  /** Route under the pointer; the wires of other routes are dimmed. */
  hover: "",
  pick: new Connector(),
  geometry: new WireGeometry(),
};
