// The drill as the router tells it, and what a person does in it. Not here: how it looks (page.js,
// steps.js).

import { completeStep } from "../../lib/robot/first-steps.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "store" | "toasts">} App */
/** @typedef {import("../../lib/types.js").DrillInfo} Info */
/** @typedef {import("../../lib/types.js").DrillReport} Report */
/** @typedef {import("../../lib/types.js").DrillStep} Step */
/** @typedef {import("../../lib/types.js").Actions["drill"]} Actions */
/**
 * @template {keyof Actions} Name
 * @typedef {import("../../lib/api.js").Params<"drill", Name>} Params
 */

const GIVEN_UP_MS = 2200; // a little longer than the router waits for those who have not confirmed

class Drill {
  /** What the router said last. @type {Info | null} */ info = null;
  problem = "";
  isBusy = false;
  /** The latch that `info` belongs to. */
  #seen = "";
  #timer = 0;

  /**
   * Ask anew when the latch has changed since: a press may have been the one that is waited for.
   * @param {App} app
   */
  look(app) {
    const latch = app.store.data.system?.estop;
    const now = latch ? `${latch.active} ${latch.generation} ${latch.confirmed}` : "";
    if (now === this.#seen) return;
    this.#seen = now;
    queueMicrotask(() => this.load(app));
    clearTimeout(this.#timer);
    if (latch?.active && !latch.confirmed)
      this.#timer = setTimeout(() => this.load(app), GIVEN_UP_MS);
  }

  /** @param {App} app */
  async load(app) {
    try {
      this.info = await app.api.request("drill", "status");
      this.problem = "";
    } catch (err) {
      this.problem = /** @type {Error} */ (err).message;
    }
    app.draw();
  }

  /**
   * One step of the person's.
   * @template {keyof Actions} Name
   * @param {App} app
   * @param {Name} action
   * @param {Params<Name>} [params]
   */
  async send(app, action, params) {
    this.isBusy = true;
    app.draw();
    try {
      await this.ask(app, action, params);
    } catch (err) {
      app.toasts.failed(/** @type {Error} */ (err));
    }
    this.isBusy = false;
    app.draw();
  }

  /**
   * The same for a dialog that shows a refusal itself.
   * @template {keyof Actions} Name
   * @param {App} app
   * @param {Name} action
   * @param {Params<Name>} [params]
   */
  async ask(app, action, params) {
    this.info = /** @type {Info} */ (await app.api.request("drill", action, params));
    if (action === "finish") completeStep("drill");
  }

  close() {
    clearTimeout(this.#timer);
    this.#seen = "";
  }
}

export const drill = new Drill();
