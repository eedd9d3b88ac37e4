// A live bar: moves by transform alone, so that the browser lays nothing out. It is not promoted to a layer
// of its own (will-change): two hundred layers cost more than painting their few pixels.

import { directive } from "/vendor/lit-html/directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";
import { Live } from "./live.js";

/** Where a value lies between two ends, 0 to 1. */
function place(value, low, high) {
  return Math.min(1, Math.max(0, (value - low) / (high - low)));
}

class Bar extends Live {
  #shown = "";

  render() {
    return nothing;
  }

  /** @param {any} part @param {[number | null | undefined, number, number, number?]} values */
  update(part, [value, low, high, neutral = 0]) {
    if (this.#shown && !this.isDue) return nothing;
    const zero = place(neutral, low, high);
    const at = value === null || value === undefined ? zero : place(value, low, high);
    const from = Math.min(zero, at);
    const length = Math.abs(at - zero);
    const transform = `translateX(${(from * 100).toFixed(2)}%) scaleX(${length.toFixed(4)})`;
    if (transform !== this.#shown) {
      this.#shown = transform;
      this.watch(part.element.parentNode); // the bar itself may have no width
      part.element.style.transform = transform;
    }
    return nothing;
  }
}

/** `<i ${bar(value, low, high, neutral)}></i>` inside an element of class "track". */
export const bar = directive(Bar);
