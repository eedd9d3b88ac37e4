// Scrolls an element into view and focuses it when it appears, so that the result of a press is
// seen on a phone and read by a screen reader.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";

class Attend extends AsyncDirective {
  #isDone = false;

  render() {
    return nothing;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part */
  update(part) {
    if (!this.#isDone) {
      this.#isDone = true;
      const element = /** @type {HTMLElement} */ (part.element);
      queueMicrotask(() => {
        element.focus({ preventScroll: true });
        element.scrollIntoView({ block: "center" });
      });
    }
    return nothing;
  }
}

/** For an element with a tabindex. */
export const attend = directive(Attend);
