// Paints the bars and numbers of a list where its rows leave room for them: places, colours and
// fonts are those that the page's styles give to each row's ".track", its "i" and ".number". Only
// what changed is painted.

import { fixed } from "../lib/format.js";
import { place } from "./bar.js";

const DIGITS = 2;

/** @typedef {{value: number | null, low: number, high: number}} Value */
/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box in pixels of the screen,
 * from the canvas's corner
 */
/**
 * @typedef {{track: Box, number: Box, from: number, to: number, text: string}} Row its two places,
 * and what was painted there
 */

const NOTHING = { from: 0, to: 0, text: "" };

export class GaugeCanvas {
  #element;
  /** @type {Row[]} */ #rows = [];
  /**
   * What the styles say of a bar and of a number: they are asked again at each painting.
   * @type {CSSStyleDeclaration[]}
   */
  #styles = [];
  #colours = ""; // of what was painted
  #ratio = 0; // of the screen's pixels to the page's
  #digit = 0; // how wide one is
  #foot = 0; // where digits stand, below the top of their line

  /** @param {HTMLCanvasElement} element beside its list */
  constructor(element) {
    this.#element = element;
  }

  /** Out of sight it needs no memory. The next painting measures anew where the rows are. */
  release() {
    if (!this.#rows.length) return;
    this.#rows = [];
    this.#element.width = this.#element.height = 0;
  }

  /**
   * @param {Value[]} values one a row
   * @param {boolean} isReading whether numbers are due
   */
  paint(values, isReading) {
    const pen = this.#element.getContext("2d");
    if (!pen || !values.length) return;
    if (values.length !== this.#rows.length || this.#ratio !== devicePixelRatio) this.#measure(pen);
    const [bar, number] = this.#styles;
    if (this.#colours !== bar.color + number.color) this.#wipe(pen);
    pen.fillStyle = bar.color;
    for (const [at, row] of this.#rows.entries()) paintBar(pen, row, values[at]);
    pen.fillStyle = number.color;
    for (const [at, row] of this.#rows.entries()) {
      if (isReading || !row.text) this.#write(pen, row, fixed(values[at].value, DIGITS));
    }
  }

  /** @param {CanvasRenderingContext2D} pen */
  #measure(pen) {
    const home = /** @type {HTMLElement} */ (this.#element.parentElement);
    this.#ratio = devicePixelRatio;
    this.#size(home.getBoundingClientRect());
    const { x, y } = boxOf(home);
    const rows = [...home.querySelectorAll("li")];
    const placed = (/** @type {Element} */ row, /** @type {string} */ which) => {
      const box = boxOf(part(row, which));
      return { ...box, x: box.x - x, y: box.y - y };
    };
    this.#rows = rows.map((row) => ({
      track: placed(row, ".track"),
      number: placed(row, ".number"),
      ...NOTHING,
    }));
    this.#styles = [".track i", ".number"].map((each) => getComputedStyle(part(rows[0], each)));
    this.#dip(pen);
  }

  /** Whole pixels: between them it would be blurred. @param {DOMRect} home */
  #size({ width, height }) {
    for (const [side, length] of /** @type {const} */ ([
      ["width", width],
      ["height", height],
    ])) {
      this.#element[side] = Math.ceil(length) * devicePixelRatio;
      this.#element.style[side] = `${Math.ceil(length)}px`;
    }
  }

  /** A canvas of another size has forgotten its pen. @param {CanvasRenderingContext2D} pen */
  #dip(pen) {
    const { fontWeight, fontSize, fontFamily } = this.#styles[1];
    pen.font = `${fontWeight} ${parseFloat(fontSize) * devicePixelRatio}px ${fontFamily}`;
    pen.textAlign = "right";
    const {
      fontBoundingBoxAscent: above,
      fontBoundingBoxDescent: below,
      width,
    } = pen.measureText("0");
    this.#digit = Math.ceil(width);
    this.#foot = Math.round((this.#rows[0].number.height + above - below) / 2);
  }

  /** All is old: it went stale, or the page dark. @param {CanvasRenderingContext2D} pen */
  #wipe(pen) {
    pen.clearRect(0, 0, this.#element.width, this.#element.height);
    for (const row of this.#rows) Object.assign(row, NOTHING);
    this.#colours = this.#styles.map((each) => each.color).join("");
  }

  /** @param {CanvasRenderingContext2D} pen @param {Row} row @param {string} text */
  #write(pen, row, text) {
    if (text === row.text) return;
    const { x, y, width, height } = row.number;
    const right = x + width;
    const room = this.#digit * Math.max(text.length, row.text.length);
    pen.clearRect(right - room, y, room, height);
    pen.fillText(text, right, y + this.#foot);
    if (this.#styles[1].textDecorationLine === "line-through") {
      const long = pen.measureText(text).width;
      pen.fillRect(right - long, y + Math.round(height / 2), long, devicePixelRatio);
    }
    row.text = text;
  }
}

/** @param {Element} row @param {string} which */
const part = (row, which) => /** @type {Element} */ (row.querySelector(which));

/**
 * In whole pixels, as a browser rounds them: what lies between two would not be cleared again.
 * @param {Element} element
 * @returns {Box}
 */
function boxOf(element) {
  const { left, top, right, bottom } = element.getBoundingClientRect();
  const [x, y, end, foot] = [left, top, right, bottom].map((each) =>
    Math.round(each * devicePixelRatio),
  );
  return { x, y, width: end - x, height: foot - y };
}

/**
 * From zero to the value, round where the track's end is.
 * @param {CanvasRenderingContext2D} pen
 * @param {Row} row
 * @param {Value} gauge
 */
function paintBar(pen, row, { value, low, high }) {
  const { x, y, width, height } = row.track;
  const ends = [0, value ?? 0].map((each) => Math.round(place(each, low, high) * width));
  const [from, to] = [Math.min(...ends), Math.max(...ends)];
  if (from === row.from && to === row.to) return;
  Object.assign(row, { from, to });
  pen.clearRect(x, y, width, height);
  if (from === to) return;
  const [start, end] = [from > 0 ? 0 : height / 2, to < width ? 0 : height / 2];
  pen.beginPath();
  pen.roundRect(x + from, y, to - from, height, [start, end, end, start]);
  pen.fill();
}
