// A live bar, drawn by size and position of an element's background, so that moving it needs
// neither layout nor a layer. With transforms the browser rebuilt all layers at each drawing.

import { Directive, directive } from "/vendor/lit-html/directive.js";
import { noChange } from "/vendor/lit-html/lit-html.js";

/**
 * Return the position of a value between two limits, from 0 to 1.
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function place(value, low, high) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

/**
 * @typedef {[value: number | null | undefined, low: number, high: number, neutral?: number]} Values
 */

class Bar extends Directive {
  #shown = "";

  /** @param {Values} _values */
  render(..._values) {
    return noChange;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {Values} values */
  update(part, [value, low, high, neutral = 0]) {
    const zero = place(neutral, low, high);
    const at = value === null || value === undefined ? zero : place(value, low, high);
    const length = Math.abs(at - zero);
    // A background's position is a share of the space that its size leaves.
    const shift = length < 1 ? Math.min(zero, at) / (1 - length) : 0;
    const size = `${(length * 100).toFixed(1)}% 100%`;
    const position = `${(shift * 100).toFixed(1)}% 0`;
    if (size + position === this.#shown) return noChange;
    this.#shown = size + position;
    const { style } = /** @type {HTMLElement} */ (part.element);
    style.backgroundSize = size;
    style.backgroundPosition = position;
    return noChange;
  }
}

/** `<i ${bar(value, low, high, neutral)}></i>` inside an element of class "track". */
export const bar = directive(Bar);
