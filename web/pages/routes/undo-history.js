// The undo history of this page: pairs of sets of routes, newest last. Pure. Not here: applying a
// step (state.js).

/** @typedef {import("../../lib/types.js").Blending} Blending */

const MOST = 50;

/** @typedef {{routes: import("./model.js").Route[], blending: Blending | null}} Snapshot */
/** @typedef {{label: string, before: Snapshot, after: Snapshot}} Step */

export class UndoHistory {
  /** @type {Step[]} */ past = [];
  /** @type {Step[]} */ future = [];

  /** @param {Step} step */
  add(step) {
    this.past = [...this.past, step].slice(-MOST);
    this.future = [];
  }

  /** The step that undo() reverts next. */
  get last() {
    return this.past.at(-1);
  }

  /** The step that redo() applies next. */
  get next() {
    return this.future.at(-1);
  }

  /** Record that the last step was undone. */
  undone() {
    const step = this.past.pop();
    if (step) this.future.push(step);
  }

  /** Record that the next step was redone. */
  redone() {
    const step = this.future.pop();
    if (step) this.past.push(step);
  }

  /** Drop all steps, after a change elsewhere. */
  clear() {
    [this.past, this.future] = [[], []];
  }
}
