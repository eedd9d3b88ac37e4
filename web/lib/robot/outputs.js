// Describes what the router commands for an output, by its policy. The router does not know the
// measured position, so no text claims one. Also filters the contenders for an output.

/** @typedef {Pick<import("../types.js").FieldState, "policy" | "changed_ms">} Row */

/** @type {Record<string, string>} */
const TEXTS = {
  live: "Follows its input",
  hold: "No input: last command",
  ramp_to_zero: "No input: zero",
  neutral: "No input: neutral",
  park: "No input: park position",
  estop: "Emergency stop",
};

/** @param {Row} row */
export function policyText(row) {
  if (row.policy !== "none") return TEXTS[row.policy] ?? row.policy;
  return `Not driven since ${row.changed_ms ? "the e-stop was cleared" : "the router started"}`;
}

/** @typedef {import("../types.js").ContenderState} Contender */

// a closed page or an ended program is listed this long; the router keeps it for longer
const GONE_MS = 3000;

/** Drop contenders that timed out a while ago. @param {Contender[]} contenders */
export const activeContenders = (contenders) =>
  contenders.filter(
    ({ reason, age_ms: age }) => reason !== "timed out" || (age ?? Infinity) < GONE_MS,
  );
