// Who else wants an output, as far as people want to know it. Not here: who wins (the router).

/** @typedef {import("../types.js").ContenderState} Rival */

// a page that was closed, a program that ended: the router knows it for longer
const GONE_MS = 3000;

/** Those that are still about; who fell silent just now is. @param {Rival[]} rivals */
export const standing = (rivals) =>
  rivals.filter(({ reason, age_ms: age }) => reason !== "timed out" || (age ?? Infinity) < GONE_MS);
