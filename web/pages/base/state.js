// The wagon's state with all that its topic may leave out. Pure.

/** @typedef {import("../../lib/types.js").WagonTopic} WagonTopic */
/**
 * @typedef {"mode" | "why" | "prevents" | "gains" | "receivers" | "motors" | "fault" | "receiver" |
 *   "arm_switch" | "must_cycle"} Given
 */
/** @typedef {WagonTopic & Required<Pick<WagonTopic, Given>>} Wagon */

/** @type {Required<Pick<WagonTopic, Given>>} */
const NOTHING = {
  mode: "",
  why: "",
  prevents: [],
  gains: [],
  receivers: [],
  motors: [],
  fault: "",
  receiver: "",
  arm_switch: false,
  must_cycle: false,
};

/** @param {WagonTopic} topic @returns {Wagon} */
export const wagonOf = (topic) => ({ ...NOTHING, ...topic });
