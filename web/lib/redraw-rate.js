// Limits how often new data is drawn: 20 times a second, or less often on a slow computer, so that
// drawing takes at most a tenth of its time and the stop always responds. Not here: a user's own
// actions, which are drawn at once (app.js).

const FASTEST_MS = 45; // the states of several topics share a drawing
// data that has timed out must look stale within 500 ms (STALE_MS of store.js)
const SLOWEST_MS = 90;
const SHARE = 0.1;
// caps a single long drawing, such as a page's first
const MOST_MS = 2 * SLOWEST_MS * SHARE;
const SMOOTHING = 0.1;

export class RedrawRate {
  #cost = 0; // ms of a drawing, smoothed

  /**
   * Record the duration of one drawing, layout and painting included.
   * @param {number} cost in ms
   */
  record(cost) {
    this.#cost += SMOOTHING * (Math.min(cost, MOST_MS) - this.#cost);
  }

  /** Milliseconds between two drawings. */
  get interval() {
    return Math.min(SLOWEST_MS, Math.max(FASTEST_MS, this.#cost / SHARE));
  }
}
