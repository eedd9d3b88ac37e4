// What was changed on this page, so that it can be taken back: pairs of sets of routes, newest
// last. Pure: the robot holds the truth, applying is state.js.

/** @typedef {import("../../lib/types.js").Blending} Blending */

const MOST = 50;

/** @typedef {{routes: import("./model.js").Route[], blending: Blending | null}} Snapshot */
/** @typedef {{label: string, before: Snapshot, after: Snapshot}} Step */

export class History {
  /** @type {Step[]} */ past = [];
  /** @type {Step[]} */ future = [];

  /** @param {Step} step */
  add(step) {
    this.past = [...this.past, step].slice(-MOST);
    this.future = [];
  }

  /** The step that is taken back next. */
  get last() {
    return this.past.at(-1);
  }

  /** The step that is done again next. */
  get next() {
    return this.future.at(-1);
  }

  /** The last step was taken back. */
  back() {
    const step = this.past.pop();
    if (step) this.future.push(step);
  }

  /** The next step was done again. */
  forth() {
    const step = this.future.pop();
    if (step) this.past.push(step);
  }

  /** Somebody else has changed the routes: none of these steps fits any more. */
  forget() {
    [this.past, this.future] = [[], []];
  }
}
