// The settings that the page has loaded from the robot, and the errors of failed requests.

import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/api.js").Api} Api */

const REQUESTS = {
  robot: (/** @type {Api} */ api) => api.request("settings", "get"),
  rc: (/** @type {Api} */ api) => api.request("rc", "get_status"),
  failsafe: (/** @type {Api} */ api) => api.request("rc", "get_failsafe"),
  protocol: (/** @type {Api} */ api) => api.request("rc", "get_protocol"),
  livelink: (/** @type {Api} */ api) => api.request("livelink", "list_formats"),
  programs: (/** @type {Api} */ api) => api.request("programs", "list"),
  restore: (/** @type {Api} */ api) => api.request("maintenance", "restore_state"),
};

/** @typedef {keyof typeof REQUESTS} Topic */
/** @typedef {{[T in Topic]: Awaited<ReturnType<typeof REQUESTS[T]>>}} Replies */

export class SettingsState {
  /** @type {Partial<Replies>} */ data = {};
  /** @type {Partial<Record<Topic, string>>} */ failures = {};

  /** What the open section shows. @type {Topic[]} */ #shown = [];

  /**
   * Load what a section shows, when it is opened.
   * @param {App} app
   * @param {Topic[]} topics
   */
  open(app, topics) {
    this.#shown = topics;
    return this.load(app);
  }

  /** Load again what is shown. @param {App} app */
  load(app) {
    return this.#each(app, () => true);
  }

  /** Load what is missing of it. @param {App} app */
  complete(app) {
    return this.#each(app, (topic) => !(topic in this.data) || topic in this.failures);
  }

  /**
   * Send requests one after the other, so that a slow server is not flooded.
   * @param {App} app
   * @param {(topic: Topic) => boolean} isMissing
   */
  async #each(app, isMissing) {
    const topics = this.#shown;
    for (const topic of topics) {
      if (topics !== this.#shown) return; // another section is open
      if (isMissing(topic)) await this.request(app, topic);
    }
  }

  /** @param {App} app @param {Topic} topic */
  async request(app, topic) {
    try {
      Object.assign(this.data, { [topic]: await REQUESTS[topic](app.api) });
      delete this.failures[topic];
    } catch (err) {
      this.failures[topic] = sentenceOf(err);
    }
    app.draw();
  }

  /**
   * Change a setting, then load it again from the robot.
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
    await this.request(app, topic);
  }
}
