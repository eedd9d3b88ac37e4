// A scale of pulse widths in microseconds with a bar for the stick and marks for middle and ends.

import { Directive, directive } from "/vendor/lit-html/directive.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { bar } from "../../../parts/bar.js";

/** @typedef {import("../../../lib/types.js").SeenRange} SeenRange */

/** Range of the scale: what the protocols can send, with a margin. */
export const LOWEST_US = 800;
export const HIGHEST_US = 2200;

/** @typedef {[from: number, to?: number]} Stretch */

class Place extends Directive {
  #shown = "";

  /** @param {Stretch} _us */
  render(..._us) {
    return nothing;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {Stretch} us */
  update(part, [from, to = from]) {
    const shown = `${from} ${to}`;
    if (shown !== this.#shown) {
      this.#shown = shown;
      const { style } = /** @type {HTMLElement} */ (part.element);
      style.left = `${share(from) * 100}%`;
      if (to !== from) style.width = `${(share(to) - share(from)) * 100}%`;
    }
    return nothing;
  }
}

/** `<b ${place(1500)}></b>` inside a ".scale". */
export const place = directive(Place);

/** @param {number} us */
const share = (us) => Math.min(1, Math.max(0, (us - LOWEST_US) / (HIGHEST_US - LOWEST_US)));

/**
 * Convert a value from -1 to 1, as topics have it, to microseconds.
 * @param {number} value
 * @param {{min: number, max: number, center: number, reversed: boolean}} range
 */
export function microseconds(value, range) {
  const signed = range.reversed ? -value : value;
  const side = signed < 0 ? range.center - range.min : range.max - range.center;
  return range.center + signed * side;
}

/**
 * @param {number | null} us now
 * @param {{min: number, max: number, center: number}} range
 */
export const scale = (us, range) => html`
  <span class="track scale" aria-hidden="true">
    <i ${bar(us, LOWEST_US, HIGHEST_US, range.center)}></i>
    <b ${place(range.min)}></b>
    <b class="middle" ${place(range.center)}></b>
    <b ${place(range.max)}></b>
  </span>
`;

/** Show the range that a channel has covered, and its position. @param {SeenRange} seen */
export const coverage = (seen) => html`
  <span class="track scale" aria-hidden="true">
    ${
      seen.low === null || seen.high === null
        ? nothing
        : html`<u ${place(seen.low, Math.max(seen.high, seen.low + 6))}></u>`
    }
    ${seen.center === null ? nothing : html`<b class="middle" ${place(seen.center)}></b>`}
    <em ${place(seen.us)}></em>
  </span>
`;
