// What is commanded while nobody is in control of an output. Where the output stands is not known
// to the router, so no sentence here says it.

/** @typedef {Pick<import("../types.js").FieldState, "policy" | "changed_ms" | "unit">} Row */

/** @type {Record<string, string>} */
const TEXTS = {
  live: "Follows its input",
  hold: "Nobody: the last value stays commanded",
  ramp_to_zero: "Nobody: zero is commanded",
  neutral: "Nobody: neutral is commanded",
  park: "Nobody: the park position is commanded",
  estop: "Emergency stop",
};

/** @param {Row} row */
export function policyText(row) {
  if (row.policy !== "none") return TEXTS[row.policy] ?? row.policy;
  const since = `driven since ${row.changed_ms ? "the e-stop was cleared" : "the router started"}`;
  return row.unit.endsWith("/s") ? `Not ${since}` : `Stays where it is: not ${since}`;
}
