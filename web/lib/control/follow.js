// Lets outputs follow live values while a button is held (dead-man), under exclusive control of
// their targets. Losing the focus or the page ends it. No drawing.

import { ExclusiveControl, onAbsence } from "./exclusive.js";

/** @typedef {import("../api.js").Api} Api */
/** @typedef {Record<string, Record<string, number>>} Values by target and field */

export class Follow {
  isHeld = false;
  /** Why exclusive control was refused. */ problem = "";
  /** @type {string[]} */ #targets = [];
  #mayMove = false;

  /**
   * @param {() => Api} api
   * @param {() => string} refusal why nothing must move now; empty: it may
   * @param {() => void} changed requests a drawing
   */
  constructor(api, refusal, changed) {
    this.api = api;
    this.refusal = refusal;
    this.changed = changed;
    this.control = new ExclusiveControl(api);
    onAbsence(() => this.release());
  }

  /** Let these targets follow until release() is called. @param {string[]} targets */
  async hold(targets) {
    if (this.isHeld || this.refusal()) return;
    Object.assign(this, { isHeld: true, problem: "" });
    this.#targets = targets;
    this.changed();
    for (const target of targets) {
      this.problem ||= await this.control.take(target, () => this.#targets === targets);
    }
    if (this.#targets !== targets) return;
    if (this.problem) this.release();
    else this.#mayMove = true;
  }

  release() {
    if (!this.isHeld) return;
    for (const target of this.#targets) void this.control.release(target);
    this.#targets = [];
    this.#mayMove = false;
    this.isHeld = false;
    this.changed();
  }

  /** Send new values, if the button is held and they may move. @param {Values} values */
  send(values) {
    if (!this.#mayMove) return;
    if (this.refusal()) {
      this.release();
      return;
    }
    for (const target of this.#targets)
      if (values[target]) this.api().stream(target, values[target]);
  }
}
