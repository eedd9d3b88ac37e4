// State of the page "Parts": the robot's parts, kinds and text as last requested, and the result of
// the last change. Not here: drawing.

import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotApplied} RobotApplied */
/** @typedef {import("../../lib/types.js").RobotCatalog} RobotCatalog */
/** @typedef {import("../../lib/types.js").RobotDocument} RobotDocument */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

const LOOK_MS = 100;
const LOST_REPLY = "The pages started again before the reply; Versions lists what has changed.";
const RESTART_MS = 8000; // by then router and pages have started again, or need not

export class PartsState {
  /** @type {RobotPart[] | null} */ parts = null;
  /** @type {RobotCatalog | null} */ catalog = null;
  /** @type {RobotDocument | null} */ document = null;
  /** Version in force, for `base` of a change. */ version = 0;
  /** Why the last request failed. */ problem = "";
  /** What the last change did. @type {RobotApplied | null} */ applied = null;
  /** Until when a restart of router and pages is expected (performance.now). */ restartUntil = 0;
  isBusy = false;
  /** When the last change was carried out (performance.now). */ #appliedAt = 0;

  /** Whether the result of the last change is still news after the address has changed. */
  keepsResult() {
    return performance.now() - this.#appliedAt < RESTART_MS;
  }

  get isRestarting() {
    return performance.now() < this.restartUntil;
  }

  /** @param {App} app */
  async load(app) {
    if (app.api.state !== "open") return;
    try {
      const [{ parts, version }, catalog, document] = await Promise.all([
        app.api.request("robot", "parts"),
        this.catalog ?? app.api.request("robot", "catalog"),
        app.api.request("robot", "get"),
      ]);
      Object.assign(this, { parts, version, catalog, document, problem: "" });
    } catch (err) {
      this.problem = sentenceOf(err);
    }
    app.draw();
  }

  /** The connection is back, after a restart or not. @param {App} app */
  linked(app) {
    this.restartUntil = 0;
    void this.load(app);
  }

  /**
   * Request a change; it is refused when another version is in force by now.
   * @param {App} app
   * @param {(base: number) => Promise<RobotApplied>} work
   * @param {boolean} restarts router and pages start again
   */
  async change(app, work, restarts) {
    this.isBusy = true;
    this.applied = null;
    app.draw();
    try {
      this.applied = await this.#carriedOut(app, work, restarts);
      this.#appliedAt = performance.now();
      const isNew = this.applied.changes.length > 0 && this.applied.changes[0] !== LOST_REPLY;
      this.restartUntil = restarts && isNew ? performance.now() + RESTART_MS : 0;
      await this.load(app);
    } finally {
      this.isBusy = false;
      app.draw();
    }
  }

  /**
   * Return what the change did. The restart of the pages that it causes may swallow the reply: then
   * the version in force shows whether the change was carried out.
   * @param {App} app @param {(base: number) => Promise<RobotApplied>} work
   * @param {boolean} restarts
   */
  async #carriedOut(app, work, restarts) {
    const before = this.version;
    const isLinked = () => app.api.state === "open";
    try {
      return await work(before);
    } catch (err) {
      if (!restarts || isLinked()) throw err;
      this.restartUntil = performance.now() + RESTART_MS;
      while (this.isRestarting && !isLinked()) await pause(LOOK_MS);
      await this.load(app);
      if (this.version === before) throw err;
      return { version: this.version, message: "", changes: [LOST_REPLY], warnings: [] };
    }
  }
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export const state = new PartsState();
