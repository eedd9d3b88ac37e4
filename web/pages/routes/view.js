// How the page "Routes" is looked at: what is filtered, unfolded, chosen. Not what the robot knows
// (state.js).

import { Pick } from "./pick.js";
import { Geometry } from "./wires.js";

export const view = {
  /** Only sources of this class; empty: all. */
  kind: "",
  /** Sources that show all they send, not only what routes use. @type {Set<string>} */
  wide: new Set(),
  /** Cards that are folded, by port. @type {Set<string>} */
  folded: new Set(),
  /** The output whose reasons are shown: "head.pan". */
  why: "",
  /** The route under the pointer; the wires of others step back. */
  hover: "",
  pick: new Pick(),
  geometry: new Geometry(),
};
