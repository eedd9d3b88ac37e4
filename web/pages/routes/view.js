// How the page "Routes" is looked at: what is filtered, unfolded, chosen. Not what the robot knows
// (state.js).

import { Pick } from "./diagram/connect.js";
import { Geometry } from "./diagram/wires.js";

// as in style/routes.css: the list, not the picture
const narrow = matchMedia("(max-width: 820px)");

/** A list begins folded, or it would be endless. @param {string} card */
export const isFolded = (card) => narrow.matches !== view.turned.has(card);

/** @param {string} card */
export function turn(card) {
  if (!view.turned.delete(card)) view.turned.add(card);
}

export const view = {
  /** Only sources of this class; empty: all. */
  kind: "",
  /** Sources that show all they send, not only what routes use. @type {Set<string>} */
  wide: new Set(),
  /** Cards that are not as they begin, by port. @type {Set<string>} */
  turned: new Set(),
  /** The output whose reasons are shown: "head.pan". */
  why: "",
  /** The route under the pointer; the wires of others step back. */
  hover: "",
  pick: new Pick(),
  geometry: new Geometry(),
};
