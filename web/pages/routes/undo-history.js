// The undo history of this page: pairs of sets of routes, newest last. The tab keeps it, so that it
// survives a reload. Not here: applying a step (state.js).

/** @typedef {import("../../lib/types.js").Blending} Blending */

const MOST = 50;
const KEY = "saint.routes.undo";

/** @typedef {{routes: import("./model.js").Route[], blending: Blending | null}} Snapshot */
/** @typedef {{label: string, before: Snapshot, after: Snapshot}} Step */

export class UndoHistory {
  /** @type {Step[]} */ past = [];
  /** @type {Step[]} */ future = [];

  /** Read what this tab has kept; what it cannot read is no history. */
  restore() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEY) ?? "{}");
      [this.past, this.future] = [kept.past ?? [], kept.future ?? []];
    } catch {
      this.clear();
    }
    return this;
  }

  /** Keep it in this tab; of a history that is too large the older half is given up. */
  #keep() {
    const { past, future } = this;
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ past, future }));
    } catch {
      sessionStorage.removeItem(KEY);
      if (past.length < 2) return;
      this.past = past.slice(-Math.floor(past.length / 2));
      this.#keep();
    }
  }

  /** @param {Step} step */
  add(step) {
    this.past = [...this.past, step].slice(-MOST);
    this.future = [];
    this.#keep();
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
    this.#keep();
  }

  /** Record that the next step was redone. */
  redone() {
    const step = this.future.pop();
    if (step) this.past.push(step);
    this.#keep();
  }

  /** Drop all steps, after a change elsewhere. */
  clear() {
    [this.past, this.future] = [[], []];
    this.#keep();
  }
}
