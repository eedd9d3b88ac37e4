// The drill as the router tells it, and what a person does in it. Not here: how it looks (page.js,
// steps.js).

import { took } from "../../lib/firststeps.js";

/**
 * @typedef {"page" | "rc" | "console" | "ros" | "kill"} Way
 * @typedef {{target: string, state: string, after_ms: number | null, detail: string}} Target
 * @typedef {{way: Way, state: "open" | "waiting" | "passed" | "failed" | "skipped", reason: string,
 * source: string, targets: Target[]}} Step
 * @typedef {{began: string, ended: string, by: string, versions: Record<string, string>, steps:
 * Step[]}} Report
 * @typedef {{running: Report | null, reports: Report[], limit_ms: number}} Info
 * @typedef {import("../../app.js").App} App
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

  /** One step of the person's. @param {App} app @param {string} action @param {object} params */
  async send(app, action, params = {}) {
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
   * @param {App} app
   * @param {string} action
   * @param {object} params
   */
  async ask(app, action, params) {
    this.info = await app.api.request("drill", action, params);
    if (action === "finish") took("drill");
  }

  close() {
    clearTimeout(this.#timer);
    this.#seen = "";
  }
}

export const drill = new Drill();
