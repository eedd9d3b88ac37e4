// Line charts over time, drawn by uPlot: `<div class="chart" ${chart(lines, data, range)}></div>`.
// Colours come from the tokens at each drawing and follow the theme; lines also differ by dashes.
// The caller adds a description in words.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";
import { clock } from "../lib/format.js";
import { theme } from "../lib/theme.js";

/** @typedef {import("/vendor/uplot/dist/uPlot.esm.js")} uPlot */
/** @typedef {{uPlot?: typeof import("/vendor/uplot/dist/uPlot.esm.js")}} Page */

const HEIGHT = 132;
const DASHES = [[], [6, 4], [2, 3]];

/**
 * @typedef {object} Line
 * @property {string} colour name of a token: "--accent"
 * @property {string} title
 *
 * @typedef {object} ChartData
 * @property {number[]} times seconds since 1970, oldest first
 * @property {(number | null)[][]} values one list for each line
 */

/**
 * Return uPlot, an async script of index.html: minified it has half the bytes of its module. Until
 * it is loaded, charts are left to the next drawing.
 */
const library = () => /** @type {Page} */ (/** @type {unknown} */ (globalThis)).uPlot;

/** @param {string} name */
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/**
 * @param {Line[]} lines
 * @param {[number, number] | null} range of the values; null: from the data
 * @returns {import("/vendor/uplot/dist/uPlot.esm.js").Options}
 */
function options(lines, range) {
  const axis = {
    stroke: () => token("--quiet"),
    grid: { stroke: () => token("--line"), width: 1 },
    ticks: { show: false },
    font: `12px ${token("--font")}`,
  };
  return {
    width: 240,
    height: HEIGHT,
    padding: [8, 6, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: true }, y: { range: range ?? least } },
    axes: [
      {
        ...axis,
        size: 24,
        space: 70,
        values: (/** @type {uPlot} */ _, /** @type {number[]} */ ticks) => times(ticks),
      },
      { ...axis, size: 40, space: 34 },
    ],
    series: [
      {},
      ...lines.map((line, at) => ({
        stroke: () => token(line.colour),
        width: 1.8,
        dash: DASHES[at % DASHES.length],
        points: { show: false },
      })),
    ],
  };
}

/**
 * Return a range from zero that is at least 1 wide, so that noise looks small.
 * @param {uPlot} _
 * @param {number} low
 * @param {number} high
 */
const least = (_, low, high) =>
  /** @type {[number, number]} */ ([Math.min(0, low ?? 0), Math.max(1, (high ?? 0) * 1.15)]);

/** Format ticks, with seconds if they are less than a minute apart. @param {number[]} ticks */
const times = (ticks) =>
  ticks.map((at) => (ticks[1] - ticks[0] < 60 ? clock(at) : clock(at).slice(0, 5)));

/** @typedef {[lines: Line[], data: ChartData, range: [number, number] | null]} Values */

class Chart extends AsyncDirective {
  /** @type {uPlot | null} */ #plot = null;
  /** @type {ResizeObserver | null} */ #watch = null;
  /** @type {ChartData | null} */ #shown = null;
  #theme = "";

  /** @param {Values} _values */
  render(..._values) {
    return nothing;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {Values} values */
  update(part, [lines, data, range]) {
    const element = /** @type {HTMLElement} */ (part.element);
    const plot = this.#plot ?? this.#begin(element, lines, range);
    if (!plot) return nothing;
    if (data !== this.#shown) {
      this.#shown = data;
      plot.setData([data.times, ...data.values]);
    }
    if (theme() !== this.#theme) {
      this.#theme = theme();
      plot.redraw(false, true);
    }
    return nothing;
  }

  /** @param {HTMLElement} element @param {Line[]} lines @param {[number, number] | null} range */
  #begin(element, lines, range) {
    const Uplot = library();
    if (!Uplot) return null;
    this.#theme = theme();
    const plot = new Uplot(options(lines, range), [[], ...lines.map(() => [])], element);
    this.#plot = plot;
    this.#watch = new ResizeObserver(() => {
      const width = element.clientWidth;
      if (width) plot.setSize({ width, height: HEIGHT });
    });
    this.#watch.observe(element);
    return plot;
  }

  disconnected() {
    this.#watch?.disconnect();
    this.#plot?.destroy();
    this.#plot = this.#watch = this.#shown = null;
  }
}

export const chart = directive(Chart);
