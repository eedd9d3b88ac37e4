// Plots the curve of one mapping as the router computes it, with a dot at the present input.

import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { fixed, quantity } from "../../../lib/format.js";
import { ESTOP } from "../model.js";

/** @typedef {import("./draft.js").Line} Line */

const WIDTH = 180;
const HEIGHT = 110;
const EDGE = 6;

/**
 * The curve in a row of the table.
 * @param {Line | null | undefined} line
 * @param {number | null | undefined} value of the input now
 */
export function smallCurve(line, value) {
  if (!line) return html`<span class="curve-small"></span>`;
  const { x, y } = scales(line);
  const points = line.points.map(([input, output]) => `${x(input)},${y(output)}`).join(" ");
  const isLive = value !== null && value !== undefined;
  return html`
    <svg
      class="curve-small"
      viewBox="0 0 ${WIDTH} ${HEIGHT}"
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      ${svg`
        <polyline class="curve-line" points=${points}/>
        ${
          isLive
            ? svg`<circle
                class="curve-dot"
                r="9"
                transform=${`translate(${x(value)} ${y(outputAt(line, value))})`}
              />`
            : nothing
        }
      `}
    </svg>
  `;
}

/**
 * @param {Line | null | undefined} line
 * @param {number | null | undefined} value of the input now
 * @param {string} name
 * @param {import("./curve-points.js").Draggable | null} [drag] the points, if the curve has any
 */
export function curvePlot(line, value, name, drag = null) {
  if (!line) return html`<div class="curve skeleton"></div>`;
  const { x, y } = scales(line);
  const isLive = value !== null && value !== undefined;
  const made = isLive ? outputAt(line, value) : null;
  const points = line.points.map(([input, output]) => `${x(input)},${y(output)}`).join(" ");
  return html`
    <figure class="curve">
      <svg
        viewBox="0 0 ${WIDTH} ${HEIGHT}"
        role=${drag ? "group" : "img"}
        aria-label=${`Curve of ${name}`}
        class=${drag ? "is-draggable" : ""}
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
          ${drag?.handles.map((handle, index) => knob(handle, index, { x, y })) ?? nothing}
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

/**
 * A point of the curve: moved by the pointer or the arrow keys.
 * @param {import("./curve-points.js").Handle} handle
 * @param {number} index
 * @param {ReturnType<typeof scales>} at
 */
const knob = (handle, index, { x, y }) => svg`
  <circle
    class="curve-knob"
    r="7"
    tabindex="0"
    role="slider"
    data-point=${index}
    aria-label=${`Point ${index + 1}`}
    aria-valuenow=${handle.output}
    aria-valuetext=${handle.text}
    transform=${`translate(${x(handle.input)} ${y(handle.output)})`}
    @pointerdown=${handle.grab}
    @keydown=${handle.key}
  />
`;

/**
 * Return the input and output under a pointer.
 * @param {Line} line
 * @param {SVGElement} picture
 * @param {PointerEvent} event
 */
export function placeAt({ low, high, limits: [bottom, top] }, picture, event) {
  const box = picture.getBoundingClientRect();
  const share = (/** @type {number} */ at, /** @type {number} */ size) =>
    Math.min(1, Math.max(0, (at * size - EDGE) / (size - 2 * EDGE)));
  const across = share((event.clientX - box.left) / box.width, WIDTH);
  const down = share((event.clientY - box.top) / box.height, HEIGHT);
  return { input: low + across * (high - low), output: top - down * (top - bottom) };
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
