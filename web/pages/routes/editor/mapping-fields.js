// The numbers of one mapping: scale, curve, clamp, or those of a switch. Not here: filters and
// conditions (guidance.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { checkEntry, choiceEntry, numberEntry, numberOf } from "../entry.js";
import { ESTOP } from "../model.js";
import { newPoints, pointFields } from "./curve-points.js";

/** @typedef {import("../model.js").Mapping} Mapping */

/**
 * @typedef {(name: string, label: string, hint?: string) => import("../entry.js").Entry} MakeEntry
 */
/** @typedef {(more: Partial<Mapping>) => void} Change */

/**
 * @param {Mapping} mapping
 * @param {MakeEntry} entry
 * @param {Change} set
 * @param {string} kind of the route's source
 */
export const mappingFields = (mapping, entry, set, kind) => html`
  ${
    mapping.mode === "switch"
      ? switchFields(mapping, entry, set)
      : axisFields(mapping, entry, set, kind)
  }
  ${checkEntry(
    mapping.mode === "switch" ? "Inverted (on below the threshold)" : "Inverted",
    mapping.inverted,
    (inverted) => set({ inverted }),
  )}
`;

/** @param {Mapping} mapping @param {MakeEntry} entry @param {Change} set @param {string} kind */
const axisFields = (mapping, entry, set, kind) => html`
  <div class="map-row">
    ${numberEntry(entry("scale", "Scale"), mapping.scale, (scale) =>
      set({ scale: numberOf(scale) }),
    )}
    ${numberEntry(entry("offset", "Offset"), mapping.offset, (offset) =>
      set({ offset: numberOf(offset) }),
    )}
    ${numberEntry(
      entry("deadzone", "Dead zone"),
      mapping.deadzone,
      (deadzone) => set({ deadzone: numberOf(deadzone) }),
      {
        min: 0,
        max: 0.99,
        step: 0.01,
      },
    )}
  </div>
  <div class="map-row">
    ${choiceEntry(
      entry("curve", "Curve"),
      mapping.curve,
      [
        ["linear", "Linear"],
        ["exponential", "Exponential"],
        ["points", "By points, straight"],
        ["smooth", "By points, smooth"],
      ],
      (curve) =>
        set({
          curve,
          expo: curve === "exponential" && !mapping.expo ? 0.3 : mapping.expo,
          points: isByPoints(curve) && mapping.points.length < 2 ? newPoints(kind) : mapping.points,
        }),
    )}
    ${
      mapping.curve === "exponential"
        ? numberEntry(
            entry("expo", "Expo"),
            mapping.expo,
            (expo) => set({ expo: numberOf(expo) }),
            {
              min: 0,
              max: 1,
              step: 0.05,
            },
          )
        : nothing
    }
    ${clampFields(mapping, entry, set)}
  </div>
  ${isByPoints(mapping.curve) ? pointFields(mapping, entry, set) : nothing}
`;

/** @param {string} curve */
const isByPoints = (curve) => curve === "points" || curve === "smooth";

/** @param {Mapping} mapping @param {MakeEntry} entry @param {Change} set */
const switchFields = (mapping, entry, set) => html`
  <div class="map-row">
    ${numberEntry(
      entry("threshold", "Threshold (on at or above)"),
      mapping.threshold,
      (threshold) => set({ threshold: numberOf(threshold) }),
    )}
    ${
      mapping.to === ESTOP
        ? nothing
        : html`
          ${numberEntry(entry("scale", "Added when on"), mapping.scale, (scale) =>
            set({ scale: numberOf(scale) }),
          )}
          ${numberEntry(entry("offset", "Value when off"), mapping.offset, (offset) =>
            set({ offset: numberOf(offset) }),
          )}
        `
    }
  </div>
`;

/**
 * The clamp limits: none if both are empty; the router rejects a single one.
 * @param {Mapping} mapping
 * @param {MakeEntry} entry
 * @param {Change} set
 */
function clampFields(mapping, entry, set) {
  /** @type {[number | "", number | ""]} */
  const [low, high] = mapping.clamp ?? ["", ""];
  const put = (/** @type {number | ""} */ a, /** @type {number | ""} */ b) =>
    set({ clamp: a === "" && b === "" ? null : [numberOf(a), numberOf(b)] });
  const whole = entry("clamp", "").wrong;
  const ends = /** @type {const} */ ([
    ["clamp[0]", "Minimum"],
    ["clamp[1]", "Maximum"],
  ]).map(([name, label], index) => {
    const end = entry(name, label);
    return { ...end, wrong: end.wrong || (index ? whole : "") };
  });
  return html`
    ${numberEntry(ends[0], low, (value) => put(value, high), {
      placeholder: "limit",
    })}
    ${numberEntry(ends[1], high, (value) => put(low, value), {
      placeholder: "limit",
    })}
  `;
}
