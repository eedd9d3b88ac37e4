// Places on a scale of microseconds. Where the stick is moves by transform; marks stand still.

import { Directive, directive } from "/vendor/lit-html/directive.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { bar } from "../../../parts/bar.js";

/** @typedef {import("../../../lib/types.js").SeenRange} SeenRange */

/** What the protocols can send, with room at both ends. */
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
 * Where a channel is now, for live bars: what is sent 20 times a second is -1 to 1.
 * @param {number} value
 * @param {{min: number, max: number, center: number, reversed: boolean}} range
 */
export function microseconds(value, range) {
  const turned = range.reversed ? -value : value;
  const way = turned < 0 ? range.center - range.min : range.max - range.center;
  return range.center + turned * way;
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

/** How far it was moved so far, and where it is. @param {SeenRange} seen lib/api/rc.py SeenRange */
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
