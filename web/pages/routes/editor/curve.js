// Plots the curve of one mapping as the router computes it, with a dot at the present input.

import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { fixed, quantity } from "../../../lib/format.js";
import { ESTOP } from "../model.js";

/** @typedef {import("./draft.js").Line} Line */

const WIDTH = 180;
const HEIGHT = 110;
const EDGE = 6;

/**
 * @param {Line | null | undefined} line
 * @param {number | null | undefined} value of the input now
 * @param {string} name
 */
export function curvePlot(line, value, name) {
  if (!line) return html`<div class="curve skeleton"></div>`;
  const { x, y } = scales(line);
  const isLive = value !== null && value !== undefined;
  const made = isLive ? outputAt(line, value) : null;
  const points = line.points.map(([input, output]) => `${x(input)},${y(output)}`).join(" ");
  return html`
    <figure class="curve">
      <svg
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role="img"
        aria-label=${`Curve of ${name}`}
      >
        ${svg`
          <path class="curve-zero" d=${`M${x(0)} 0V${HEIGHT}M0 ${y(zero(line))}H${WIDTH}`}/>
          <text class="curve-end" x="7" y="15">${line.limits[1]} ${line.unit}</text>
          <text class="curve-end" x="7" y=${HEIGHT - 8}>${line.limits[0]}</text>
          <text class="curve-end is-right" x=${WIDTH - 7} y=${HEIGHT - 8}>${line.high}</text>
          <polyline class="curve-line" points=${points}/>
          ${
            isLive
              ? svg`<circle
                  class="curve-dot"
                  r="5"
                  transform=${`translate(${x(value)} ${y(made ?? 0)})`}
                />`
              : nothing
          }
        `}
      </svg>
      <figcaption>
        ${
          isLive
            ? html`<b>${fixed(value, 2)}</b> → <b>${output(line, made)}</b>`
            : html`<span class="quiet">No data</span>`
        }
      </figcaption>
    </figure>
  `;
}

/** @param {Line} line @param {number | null} made */
function output(line, made) {
  if (line.field === ESTOP) return made ? "stop" : "no stop";
  return quantity(made, line.unit);
}

/** Return zero, or the limit nearest to it. @param {Line} line */
const zero = ({ limits: [low, high] }) => Math.min(Math.max(0, low), high);

/** @param {Line} line */
function scales({ low, high, limits }) {
  const [bottom, top] = limits;
  const share = (
    /** @type {number} */ value,
    /** @type {number} */ from,
    /** @type {number} */ to,
  ) => Math.min(1, Math.max(0, (value - from) / (to - from || 1)));
  return {
    x: (/** @type {number} */ value) =>
      (EDGE + share(value, low, high) * (WIDTH - 2 * EDGE)).toFixed(1),
    y: (/** @type {number} */ value) =>
      (HEIGHT - EDGE - share(value, bottom, top) * (HEIGHT - 2 * EDGE)).toFixed(1),
  };
}

/**
 * Interpolate the curve; beyond its ends the end value counts.
 * @param {Line} line
 * @param {number} value
 */
export function outputAt({ points }, value) {
  let before = points[0];
  for (const point of points) {
    if (point[0] >= value) {
      const span = point[0] - before[0];
      return span ? before[1] + ((value - before[0]) / span) * (point[1] - before[1]) : point[1];
    }
    before = point;
  }
  return before[1];
}
