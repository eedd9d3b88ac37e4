// Something that is asked for again and again while the page is shown: the newest answer, and why
// there is none. Not here: what is done with it.

import { problemOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/api.js").ApiError} ApiError */

/** @template T */
export class Watch {
  /** The newest answer. @type {T | null} */ data = null;
  /** Why the last question had no answer; null when it had one. @type {ApiError | null} */
  problem = null;
  #timer = 0;
  #isAsking = false;

  /**
   * @param {(app: App) => Promise<T>} question
   * @param {number} periodMs
   */
  constructor(question, periodMs) {
    this.question = question;
    this.periodMs = periodMs;
  }

  /** @param {App} app */
  start(app) {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.look(app), this.periodMs);
    this.look(app);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  /** Asks now, unless an answer is awaited or nobody is there to ask. @param {App} app */
  async look(app) {
    if (this.#isAsking || app.api.state !== "open" || document.hidden) return;
    this.#isAsking = true;
    try {
      this.data = await this.question(app);
      this.problem = null;
    } catch (err) {
      this.problem = problemOf(err);
    }
    this.#isAsking = false;
    app.draw();
  }
}
