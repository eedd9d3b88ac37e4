// The calibration of one field while it is being changed: what is typed, what of it cannot be, what
// is sent. Pure. Numbers are typed in the unit that people read: a ratio in percent.

import { fixed, quantity } from "../../../lib/format.js";

/** @typedef {import("../../../lib/types.js").CalibratedField} Field */
/**
 * @typedef {{offset: string, isReversed: boolean, low: string, high: string}} Draft
 * @typedef {{offset?: string, low?: string, high?: string}} Faults by what is typed
 */

const DIGITS = 1000;

/** @param {string} unit */
const scale = (unit) => (unit === "ratio" ? 100 : 1);

/** What stands behind the number. @param {string} unit */
export const unitName = (unit) => ({ deg: "degrees", ratio: "percent" })[unit] ?? unit;

/** @param {number} value @param {string} unit */
const typed = (value, unit) => String(Math.round(value * scale(unit) * DIGITS) / DIGITS);

/** NaN: it is no number. @param {string} text @param {string} unit */
export const read = (text, unit) =>
  text.trim() === "" ? NaN : Number(text.replace(",", ".")) / scale(unit);

/** What is in force. @param {Field} field @returns {Draft} */
export const draftOf = (field) => ({
  offset: typed(field.offset, field.unit),
  isReversed: field.is_reversed,
  low: typed(field.limits[0], field.unit),
  high: typed(field.limits[1], field.unit),
});

/** What the manifest says. @param {Field} field @returns {Draft} */
export const manifestOf = (field) => ({
  offset: "0",
  isReversed: false,
  low: typed(field.manifest_limits[0], field.unit),
  high: typed(field.manifest_limits[1], field.unit),
});

/** @param {Draft} a @param {Draft} b */
export const isSame = (a, b) =>
  a.offset === b.offset && a.isReversed === b.isReversed && a.low === b.low && a.high === b.high;

/**
 * Where the joint is now becomes its neutral, its lowest or its highest. Positions are read with
 * the offset in force; limits are meant with the one that is typed.
 * @param {Field} field @param {number} neutral @param {Draft} draft
 * @param {"offset" | "low" | "high"} what @param {number} position
 * @returns {Draft}
 */
export function marked(field, neutral, draft, what, position) {
  const servo = position + field.offset;
  if (what === "offset") return { ...draft, offset: typed(servo - neutral, field.unit) };
  const offset = read(draft.offset, field.unit) || 0;
  return { ...draft, [what]: typed(servo - offset, field.unit) };
}

/**
 * What cannot be, in a sentence at its field.
 * @param {Field} field
 * @param {number} neutral
 * @param {Draft} draft
 * @returns {Faults}
 */
export function faults(field, neutral, draft) {
  const {
    unit,
    manifest_limits: [least, most],
  } = field;
  const [offset, low, high] = [draft.offset, draft.low, draft.high].map((text) => read(text, unit));
  /** @type {Faults} */
  const found = {};
  if (field.has_offset) {
    if (!Number.isFinite(offset)) found.offset = `Type a number in ${unitName(unit)}.`;
    else if (Math.abs(offset) > field.largest_offset) {
      found.offset =
        `At most ${quantity(field.largest_offset, unit)} either way. Put the servo's horn on ` +
        "another tooth.";
    }
  }
  for (const [name, value] of /** @type {["low" | "high", number][]} */ ([
    ["low", low],
    ["high", high],
  ])) {
    if (!Number.isFinite(value)) found[name] = `Type a number in ${unitName(unit)}.`;
    else if (value < least || value > most) {
      found[name] = `The manifest allows ${quantity(least, unit)} to ${quantity(most, unit)}.`;
    }
  }
  if (!found.low && !found.high && low >= high) found.high = "It must be above the lowest.";
  if (!found.low && low > neutral)
    found.low = `Neutral, ${quantity(neutral, unit)}, must stay within reach.`;
  if (!found.high && high < neutral)
    found.high = `Neutral, ${quantity(neutral, unit)}, must stay within reach.`;
  return found;
}

/**
 * How far it goes with this draft: an offset takes its part of the way.
 * @param {Field} field
 * @param {Draft} draft
 * @returns {[number, number]}
 */
export function reach(field, draft) {
  const [least, most] = field.manifest_limits;
  const offset = field.has_offset ? read(draft.offset, field.unit) : 0;
  return [
    Math.max(read(draft.low, field.unit), least - offset),
    Math.min(read(draft.high, field.unit), most - offset),
  ];
}

/**
 * What is asked of the server: all that is seen, so that nothing else comes of it.
 * @param {Field} field
 * @param {Draft} draft
 */
export function request(field, draft) {
  if (isSame(draft, manifestOf(field))) return { field: field.field, clear: true };
  const limits = { minimum: read(draft.low, field.unit), maximum: read(draft.high, field.unit) };
  const servo = { offset: read(draft.offset, field.unit), is_reversed: draft.isReversed };
  return { field: field.field, ...limits, ...(field.has_offset ? servo : {}) };
}

/** In words: "offset 3.0°, reversed, −90.0° to 90.0°". @param {Field} field */
export function told(field) {
  const { unit, limits } = field;
  const parts = field.offset
    ? [`offset ${fixed(field.offset * scale(unit), 1)} ${unitName(unit)}`]
    : [];
  if (field.is_reversed) parts.push("reversed");
  return [...parts, `${quantity(limits[0], unit)} to ${quantity(limits[1], unit)}`].join(", ");
}
