// What the settings page has asked the robot for, and when that failed.

import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/api.js").Api} Api */

const QUESTIONS = {
  robot: (/** @type {Api} */ api) => api.request("settings", "get"),
  rc: (/** @type {Api} */ api) => api.request("rc", "get_status"),
  failsafe: (/** @type {Api} */ api) => api.request("rc", "get_failsafe"),
  protocol: (/** @type {Api} */ api) => api.request("rc", "get_protocol"),
  livelink: (/** @type {Api} */ api) => api.request("livelink", "list_formats"),
  restore: (/** @type {Api} */ api) => api.request("maintenance", "restore_state"),
};

/** @typedef {keyof typeof QUESTIONS} Topic */
/** @typedef {{[T in Topic]: Awaited<ReturnType<typeof QUESTIONS[T]>>}} Replies */

export class Answers {
  /** @type {Partial<Replies>} */ data = {};
  /** @type {Partial<Record<Topic, string>>} */ failures = {};

  /** All of it. @param {App} app */
  load(app) {
    return this.#each(app, () => true);
  }

  /** What is not known yet. @param {App} app */
  complete(app) {
    return this.#each(app, (topic) => !(topic in this.data) || topic in this.failures);
  }

  /**
   * One after the other: a slow server stays on the line, and each answer is one less to ask for.
   * @param {App} app
   * @param {(topic: Topic) => boolean} isWanted
   */
  async #each(app, isWanted) {
    for (const topic of /** @type {Topic[]} */ (Object.keys(QUESTIONS))) {
      if (isWanted(topic)) await this.ask(app, topic);
    }
  }

  /** @param {App} app @param {Topic} topic */
  async ask(app, topic) {
    try {
      Object.assign(this.data, { [topic]: await QUESTIONS[topic](app.api) });
      delete this.failures[topic];
    } catch (err) {
      this.failures[topic] = sentenceOf(err);
    }
    app.draw();
  }

  /**
   * Change something; what the page shows is what the robot says afterwards.
   * @param {App} app
   * @param {Topic} topic
   * @param {() => Promise<unknown>} work
   * @param {string} said
   */
  async change(app, topic, work, said) {
    try {
      await work();
      app.toasts.done(said);
    } catch (err) {
      app.toasts.failed(err);
    }
    await this.ask(app, topic);
  }
}
