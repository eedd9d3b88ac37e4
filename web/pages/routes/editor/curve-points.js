// The points of a curve: where they lie on the plot, and how pointer, keys and buttons move them.
// The router draws the line between them.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed, quantity } from "../../../lib/format.js";
import { placeAt } from "./curve.js";

/** @typedef {import("./draft.js").Line} Line */
/** @typedef {import("../model.js").Mapping} Mapping */
/** @typedef {[number, number]} Point */
/**
 * @typedef {object} Handle
 * @property {number} input
 * @property {number} output
 * @property {string} text
 * @property {(event: PointerEvent) => void} grab
 * @property {(event: KeyboardEvent) => void} key
 * @typedef {{handles: Handle[]}} Draggable
 */

const MOST = 9;
const STEPS = 100; // of the plot's range: how exactly a point is placed
const LEAST_STEP = 0.001; // of the input between two points, as the router demands

/** Return the points to begin with. @param {string} kind of the source @returns {Point[]} */
export const newPoints = (kind) =>
  kind === "livelink"
    ? [
        [0, 0],
        [0.5, 0.5],
        [1, 1],
      ]
    : [
        [-1, -1],
        [0, 0],
        [1, 1],
      ];

/**
 * Return what makes the points draggable; null for another curve.
 * @param {Mapping} mapping
 * @param {Line | null | undefined} line
 * @param {(more: Partial<Mapping>) => void} set
 * @returns {Draggable | null}
 */
export function draggable(mapping, line, set) {
  const isByPoints = mapping.curve === "points" || mapping.curve === "smooth";
  if (!isByPoints || !line || mapping.mode === "switch" || !mapping.scale) return null;
  const now = { points: /** @type {Point[]} */ (mapping.points) };
  const put = (/** @type {number} */ index, /** @type {Point} */ wanted) => {
    now.points = moved(now.points, index, wanted, line);
    set({ points: now.points });
  };
  return {
    handles: now.points.map(([x, y], index) => {
      const [input, output] = [inputOf(mapping, x), y * mapping.scale + mapping.offset];
      return {
        input,
        output,
        text: `${fixed(input, 2)} makes ${quantity(output, line.unit)}`,
        grab: (event) => grab(event, line, (place) => put(index, pointAt(mapping, place))),
        key: (event) => press(event, now.points, index, line, mapping, put, set),
      };
    }),
  };
}

/**
 * @param {PointerEvent} event
 * @param {Line} line
 * @param {(place: {input: number, output: number}) => void} put
 */
function grab(event, line, put) {
  const picture = /** @type {SVGElement} */ (event.currentTarget).closest("svg");
  if (!picture) return;
  event.preventDefault();
  /** @type {SVGElement} */ (event.currentTarget).focus();
  const move = (/** @type {PointerEvent} */ at) => put(placeAt(line, picture, at));
  const end = () => {
    removeEventListener("pointermove", move);
    removeEventListener("pointerup", end);
    removeEventListener("pointercancel", end);
  };
  addEventListener("pointermove", move);
  addEventListener("pointerup", end);
  addEventListener("pointercancel", end);
}

/** @type {Record<string, Point>} */
const KEYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/**
 * Move a point by an arrow key, ten steps with Shift; Delete removes it.
 * @param {KeyboardEvent} event
 * @param {Point[]} points
 * @param {number} index
 * @param {Line} line
 * @param {Mapping} mapping
 * @param {(index: number, wanted: Point) => void} put
 * @param {(more: Partial<Mapping>) => void} set
 */
function press(event, points, index, line, mapping, put, set) {
  const step = KEYS[event.key];
  if (event.key === "Delete" && points.length > 2)
    set({ points: points.filter((_, at) => at !== index) });
  else if (!step) return;
  event.preventDefault();
  if (!step) return;
  const size = event.shiftKey ? 10 : 1;
  const [x, y] = points[index];
  const range = line.limits[1] - line.limits[0];
  put(index, [
    x + ((step[0] * size * (line.high - line.low)) / 2 / STEPS) * (mapping.inverted ? -1 : 1),
    y + (step[1] * size * range) / 2 / STEPS / mapping.scale,
  ]);
}

/**
 * Return the points with one moved, between its neighbours and on a grid.
 * @param {Point[]} points
 * @param {number} index
 * @param {Point} wanted
 * @param {Line} line
 * @returns {Point[]}
 */
function moved(points, index, [x, y], line) {
  const gap = Math.max(LEAST_STEP, line.high / STEPS);
  const low = index ? points[index - 1][0] + gap : line.low;
  const high = index < points.length - 1 ? points[index + 1][0] - gap : line.high;
  const place = Math.min(Math.max(round(x), low), high);
  return points.map((each, at) => (at === index ? [round(place), round(y)] : each));
}

/** @param {number} value */
const round = (value) => Math.round(value * 1000) / 1000;

/**
 * Return the input that reaches a point, as the router does.
 * @param {Mapping} mapping
 * @param {number} x
 */
function inputOf({ deadzone, inverted }, x) {
  const before = x * (1 - deadzone) + Math.sign(x) * deadzone;
  return inverted ? -before : before;
}

/**
 * Return the point at a place of the plot.
 * @param {Mapping} mapping
 * @param {{input: number, output: number}} place
 * @returns {Point}
 */
function pointAt({ deadzone, inverted, scale, offset }, { input, output }) {
  const beyond = Math.max(0, Math.abs(input) - deadzone) / (1 - deadzone);
  const x = Math.sign(input) * beyond * (inverted ? -1 : 1);
  return [x, (output - offset) / scale];
}

/**
 * The points as numbers, with a button for another one.
 * @param {Mapping} mapping
 * @param {import("./mapping-fields.js").MakeEntry} entry
 * @param {(more: Partial<Mapping>) => void} set
 */
export function pointFields(mapping, entry, set) {
  const { points } = mapping;
  const wrong = entry("points", "").wrong;
  const add = () => set({ points: withOneMore(/** @type {Point[]} */ (points)) });
  return html`
    <div class="map-points">
      <span class="quiet"
        >Drag the points, or use the arrow keys; Delete removes one.
        ${points.map(([x, y]) => `${x}→${y}`).join(", ")}</span
      >
      ${
        points.length < MOST
          ? html`<button class="button small" type="button" data-add-point @click=${add}>
              Add point
            </button>`
          : nothing
      }
      ${wrong ? html`<span class="wrong">${wrong}</span>` : nothing}
    </div>
  `;
}

/** Add a point in the middle of the widest gap. @param {Point[]} points @returns {Point[]} */
function withOneMore(points) {
  let at = 1;
  for (let index = 2; index < points.length; index++)
    if (points[index][0] - points[index - 1][0] > points[at][0] - points[at - 1][0]) at = index;
  const [a, b] = [points[at - 1], points[at]];
  /** @type {Point} */
  const middle = [round((a[0] + b[0]) / 2), round((a[1] + b[1]) / 2)];
  return [...points.slice(0, at), middle, ...points.slice(at)];
}
