// Lists of live values, each with a name, a bar and a number. One canvas over the list paints bars
// and numbers (gauge-canvas.js), at half the cost of elements; screen readers get meters. Not here:
// a single bar (bar.js), how often values are drawn (live.js).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { html, noChange, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../lib/format.js";
import { GaugeCanvas } from "./gauge-canvas.js";
import { isReading, isSeen, rarely, seen } from "./live.js";

/**
 * @typedef {object} Gauge
 * @property {string} key
 * @property {string} name for display
 * @property {number | null} value
 * @property {number} low
 * @property {number} high
 * @property {unknown} [more] content below the bar
 */

/**
 * @param {() => Gauge[]} values called while the list is in sight
 * @param {string} [kind] class of the list
 */
export const gauges = (values, kind = "") =>
  html`<div class="gauges">${seen(() => list(values(), kind))}</div>`;

/** @param {Gauge[]} values @param {string} kind */
const list = (values, kind) => html`
  <ul class=${kind}>${values.map(row)}</ul>
  <canvas width="0" height="0" aria-hidden="true" ${painted(values)}></canvas>
`;

/** @param {Gauge} gauge */
const row = ({ key, name, value, low, high, more }) => html`
  <li data-value=${key}>
    <span class="name">${name}</span>
    <span class="track ${low < 0 ? "both" : ""}" role="meter" aria-label=${name}
      aria-valuemin=${low} aria-valuemax=${high} aria-valuenow=${rarely(value ?? low)}
      aria-valuetext=${rarely(fixed(value, 2))}><i></i></span>
    <span class="number"></span>
    ${more ?? nothing}
  </li>
`;

class Painted extends AsyncDirective {
  /** @type {HTMLElement | null} */ #element = null;
  /** @type {GaugeCanvas | null} */ #canvas = null;
  /** @type {Gauge[]} */ #values = [];
  #resized = new ResizeObserver(() => this.#moved());

  /** @param {Gauge[]} _values */
  render(_values) {
    return noChange;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {[Gauge[]]} values */
  update(part, [values]) {
    this.#values = values;
    if (this.#canvas) this.#paint();
    else this.#begin(/** @type {HTMLCanvasElement} */ (part.element));
    return noChange;
  }

  /**
   * Start observing the list's size; the first report of the size paints it.
   * @param {HTMLCanvasElement} element
   */
  #begin(element) {
    this.#element = element;
    this.#canvas = new GaugeCanvas(element);
    queueMicrotask(() => this.reconnected());
  }

  #moved() {
    this.#canvas?.release(); // makes the next painting measure
    this.#paint();
  }

  #paint() {
    const home = this.#element?.parentElement;
    if (!home || !this.#canvas) return;
    if (isSeen(home)) this.#canvas.paint(this.#values, isReading);
    else this.#canvas.release();
  }

  disconnected() {
    this.#resized.disconnect();
  }

  reconnected() {
    const home = this.#element?.parentElement;
    if (home) this.#resized.observe(home);
  }
}

const painted = directive(Painted);
