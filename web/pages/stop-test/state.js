// State of the stop test (stop drill) as the router reports it, and the user's requests. Not here:
// drawing (page.js, steps.js).

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

const CONFIRM_TIMEOUT_MS = 2200; // slightly longer than the router waits for confirmations

class StopTest {
  /** Last report of the router. @type {Info | null} */ info = null;
  problem = "";
  isBusy = false;
  /** State of the e-stop latch at the last load. */
  #seen = "";
  #timer = 0;

  /**
   * Load again when the latch has changed, which may be the press that the test waits for.
   * @param {App} app
   */
  update(app) {
    const latch = app.store.data.system?.estop;
    const now = latch ? `${latch.active} ${latch.generation} ${latch.confirmed}` : "";
    if (now === this.#seen) return;
    this.#seen = now;
    queueMicrotask(() => this.load(app));
    clearTimeout(this.#timer);
    if (latch?.active && !latch.confirmed)
      this.#timer = setTimeout(() => this.load(app), CONFIRM_TIMEOUT_MS);
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
   * Send a request; show an error as a toast.
   * @template {keyof Actions} Name
   * @param {App} app
   * @param {Name} action
   * @param {Params<Name>} [params]
   */
  async send(app, action, params) {
    this.isBusy = true;
    app.draw();
    try {
      await this.request(app, action, params);
    } catch (err) {
      app.toasts.failed(/** @type {Error} */ (err));
    }
    this.isBusy = false;
    app.draw();
  }

  /**
   * Send a request; throw an error.
   * @template {keyof Actions} Name
   * @param {App} app
   * @param {Name} action
   * @param {Params<Name>} [params]
   */
  async request(app, action, params) {
    this.info = /** @type {Info} */ (await app.api.request("drill", action, params));
    if (action === "finish") completeStep("drill");
  }

  close() {
    clearTimeout(this.#timer);
    this.#seen = "";
  }
}

export const drill = new StopTest();
