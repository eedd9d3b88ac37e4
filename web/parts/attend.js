// What came of a press appears elsewhere on the page, on a phone out of sight: it comes into view
// and gets the focus when it appears, so that a screen reader says it and a keyboard goes on there.

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
