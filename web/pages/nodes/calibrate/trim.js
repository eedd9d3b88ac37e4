// The draft of one field's calibration: typed values, validation, and the request. Pure. Values are
// typed in display units: a ratio in percent.

import { fixed, quantity } from "../../../lib/format.js";

/** @typedef {import("../../../lib/types.js").CalibratedField} Field */
/**
 * @typedef {{offset: string, isReversed: boolean, low: string, high: string}} Draft
 * @typedef {{offset?: string, low?: string, high?: string}} Faults messages by field of the draft
 */

const DIGITS = 1000;

/** @param {string} unit */
const scale = (unit) => (unit === "ratio" ? 100 : 1);

/** Return the name of the display unit. @param {string} unit */
export const unitName = (unit) => ({ deg: "degrees", ratio: "percent" })[unit] ?? unit;

/** @param {number} value @param {string} unit */
const typed = (value, unit) => String(Math.round(value * scale(unit) * DIGITS) / DIGITS);

/** Parse a typed value; NaN if it is not a number. @param {string} text @param {string} unit */
export const read = (text, unit) =>
  text.trim() === "" ? NaN : Number(text.replace(",", ".")) / scale(unit);

/** Return a draft with the active values. @param {Field} field @returns {Draft} */
export const draftOf = (field) => ({
  offset: typed(field.offset, field.unit),
  isReversed: field.is_reversed,
  low: typed(field.limits[0], field.unit),
  high: typed(field.limits[1], field.unit),
});

/** Return a draft with the manifest's values. @param {Field} field @returns {Draft} */
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
 * Set the neutral, the lowest or the highest value to the present position. The position includes
 * the active offset; the limits are relative to the typed offset.
 * @param {Field} field @param {number} neutral @param {Draft} draft
 * @param {"offset" | "low" | "high"} what @param {number} position
 * @returns {Draft}
 */
export function setToPosition(field, neutral, draft, what, position) {
  const servo = position + field.offset;
  if (what === "offset") return { ...draft, offset: typed(servo - neutral, field.unit) };
  const offset = read(draft.offset, field.unit) || 0;
  return { ...draft, [what]: typed(servo - offset, field.unit) };
}

/**
 * Validate a draft; returns one message for each wrong value.
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
        `At most ±${quantity(field.largest_offset, unit)}. Move the servo's horn to another ` +
        "tooth instead.";
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
  if (!found.low && !found.high && low >= high) found.high = "Must be above the lowest.";
  if (!found.low && low > neutral)
    found.low = `Neutral (${quantity(neutral, unit)}) must stay within the limits.`;
  if (!found.high && high < neutral)
    found.high = `Neutral (${quantity(neutral, unit)}) must stay within the limits.`;
  return found;
}

/**
 * Return the range of motion with this draft; an offset shortens it on one side.
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
 * Build the request: all values that the user sees, so that the result is what is shown.
 * @param {Field} field
 * @param {Draft} draft
 */
export function request(field, draft) {
  if (isSame(draft, manifestOf(field))) return { field: field.field, clear: true };
  const limits = { minimum: read(draft.low, field.unit), maximum: read(draft.high, field.unit) };
  const servo = { offset: read(draft.offset, field.unit), is_reversed: draft.isReversed };
  return { field: field.field, ...limits, ...(field.has_offset ? servo : {}) };
}

/** Describe: "offset 3.0 degrees, reversed, −90.0° to 90.0°". @param {Field} field */
export function describe(field) {
  const { unit, limits } = field;
  const parts = field.offset
    ? [`offset ${fixed(field.offset * scale(unit), 1)} ${unitName(unit)}`]
    : [];
  if (field.is_reversed) parts.push("reversed");
  return [...parts, `${quantity(limits[0], unit)} to ${quantity(limits[1], unit)}`].join(", ");
}
