// Lists of values that live: a name, a bar and a number each. Bars and numbers are painted on one
// canvas over the list (gaugecanvas.js): one by one, as elements, they cost a browser twice as
// much. A screen reader is told each value as a meter's. Not here: a bar by itself (bar.js), how
// often what is drawn (live.js).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { html, noChange, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../lib/format.js";
import { GaugeCanvas } from "./gauge-canvas.js";
import { isReading, isSeen, rarely, seen } from "./live.js";

/**
 * @typedef {object} Gauge
 * @property {string} key
 * @property {string} name as people read it
 * @property {number | null} value
 * @property {number} low
 * @property {number} high
 * @property {unknown} [more] what stands below it
 */

/**
 * @param {() => Gauge[]} values asked for while the list is in sight
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
   * It has no place on the page yet: painted when the browser tells how large it is.
   * @param {HTMLCanvasElement} element
   */
  #begin(element) {
    this.#element = element;
    this.#canvas = new GaugeCanvas(element);
    queueMicrotask(() => this.reconnected());
  }

  #moved() {
    this.#canvas?.release(); // so that it measures
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
