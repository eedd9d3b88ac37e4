// A directive that measures the diagram's ports after each change of ports or size.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";
import { view } from "../view.js";

/** @typedef {import("../../../context.js").With<"draw">} App */

class MeasurePorts extends AsyncDirective {
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
    const measure = () => {
      view.geometry.measure(area);
      app.draw();
    };
    if (!this.#sizes) {
      this.#sizes = new ResizeObserver(measure);
      this.#sizes.observe(area);
    }
    // After this drawing is complete.
    queueMicrotask(() => {
      const ports = [...area.querySelectorAll("[data-port]")];
      const drawn = ports.map((each) => /** @type {HTMLElement} */ (each).dataset.port).join("|");
      if (view.geometry.isNew(drawn)) measure();
    });
    return nothing;
  }

  disconnected() {
    this.#sizes?.disconnect();
    this.#sizes = null;
  }
}

export const measurePorts = directive(MeasurePorts);
