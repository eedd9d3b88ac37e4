// Looks where the ports of the picture are whenever that may have changed: other ports, another
// size. A directive, for only the drawn element can be measured.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";
import { view } from "../view.js";

/** @typedef {import("../../../context.js").With<"draw">} App */

class Area extends AsyncDirective {
  /** @type {ResizeObserver | null} */ #sizes = null;

  /** @param {App} _app */
  render(_app) {
    return nothing;
  }

  /**
   * @param {import("/vendor/lit-html/directive.js").ElementPart} part
   * @param {[App]} values
   */
  update(part, [app]) {
    const area = /** @type {HTMLElement} */ (part.element);
    const look = () => {
      view.geometry.measure(area);
      app.draw();
    };
    if (!this.#sizes) {
      this.#sizes = new ResizeObserver(look);
      this.#sizes.observe(area);
    }
    // Not before everything is drawn, which it is when this turn ends.
    queueMicrotask(() => {
      const ports = [...area.querySelectorAll("[data-port]")];
      const drawn = ports.map((each) => /** @type {HTMLElement} */ (each).dataset.port).join("|");
      if (view.geometry.isNew(drawn)) look();
    });
    return nothing;
  }

  disconnected() {
    this.#sizes?.disconnect();
    this.#sizes = null;
  }
}

export const area = directive(Area);
