// Paints the bars and numbers of a list on one canvas. Position, colour and font come from the
// styles of each row's ".track", its "i" and ".number". Only changed rows are painted.

import { fixed } from "../lib/format.js";
import { place } from "./bar.js";

const DIGITS = 2;

/** @typedef {{value: number | null, low: number, high: number}} Value */
/**
 * @typedef {{x: number, y: number, width: number, height: number}} Box in screen pixels, relative
 * to the canvas
 */
/**
 * @typedef {{track: Box, number: Box, from: number, to: number, text: string}} Row the two boxes,
 * and what is painted in them
 */

const NOTHING = { from: 0, to: 0, text: "" };

export class GaugeCanvas {
  #element;
  /** @type {Row[]} */ #rows = [];
  /** Live styles of a bar and of a number. @type {CSSStyleDeclaration[]} */
  #styles = [];
  #colours = ""; // last painted
  #ratio = 0; // screen pixels per CSS pixel
  #digit = 0; // width of one digit
  #baseline = 0; // of the digits, below the top of their line

  /** @param {HTMLCanvasElement} element beside its list */
  constructor(element) {
    this.#element = element;
  }

  /** Free the canvas's memory while the list is out of sight; the next painting measures again. */
  release() {
    if (!this.#rows.length) return;
    this.#rows = [];
    this.#element.width = this.#element.height = 0;
  }

  /**
   * @param {Value[]} values one for each row
   * @param {boolean} isReading whether numbers are painted too
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
    this.#setFont(pen);
  }

  /** Set the size in whole pixels, because a fraction blurs. @param {DOMRect} home */
  #size({ width, height }) {
    for (const [side, length] of /** @type {const} */ ([
      ["width", width],
      ["height", height],
    ])) {
      this.#element[side] = Math.ceil(length) * devicePixelRatio;
      this.#element.style[side] = `${Math.ceil(length)}px`;
    }
  }

  /** Set the font, which a resize of the canvas resets. @param {CanvasRenderingContext2D} pen */
  #setFont(pen) {
    const { fontWeight, fontSize, fontFamily } = this.#styles[1];
    pen.font = `${fontWeight} ${parseFloat(fontSize) * devicePixelRatio}px ${fontFamily}`;
    pen.textAlign = "right";
    const {
      fontBoundingBoxAscent: above,
      fontBoundingBoxDescent: below,
      width,
    } = pen.measureText("0");
    this.#digit = Math.ceil(width);
    this.#baseline = Math.round((this.#rows[0].number.height + above - below) / 2);
  }

  /** Clear everything after a colour change. @param {CanvasRenderingContext2D} pen */
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
    pen.fillText(text, right, y + this.#baseline);
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
 * Return the box in whole screen pixels; clearing would leave fractions behind.
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
 * Paint a bar from zero to the value, rounded at the ends of the track.
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
