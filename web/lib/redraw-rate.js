// How often what the robot does is drawn: twenty times a second, on a slow computer as often as a
// tenth of its time allows, for the page must leave room for the stop and for whatever else runs
// there. Not here: what a person does, which is drawn at once (app.js).

const STATES_MS = 45; // states of several topics share a drawing, about twenty a second
// and what went silent still looks so within half a second (STALE_MS of store.js)
const SLOWEST_MS = 90;
const SHARE = 0.1;
// a single long drawing, such as a page's first, slows nothing
const MOST_MS = 2 * SLOWEST_MS * SHARE;
const NEWEST = 0.1;

export class Pace {
  /** Milliseconds of a drawing, lately. */
  #cost = 0;

  /**
   * One drawing took so long, from its begin until all was laid out and painted.
   * @param {number} cost in ms
   */
  took(cost) {
    this.#cost += NEWEST * (Math.min(cost, MOST_MS) - this.#cost);
  }

  /** Milliseconds from one drawing to the next. */
  get interval() {
    return Math.min(SLOWEST_MS, Math.max(STATES_MS, this.#cost / SHARE));
  }
}
