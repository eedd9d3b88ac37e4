// What the settings page has asked the robot for, and when that failed.

/** @typedef {import("../../app.js").App} App */

const QUESTIONS = {
  robot: ["settings", "get"],
  rc: ["rc", "get_status"],
  failsafe: ["rc", "get_failsafe"],
  protocol: ["rc", "get_protocol"],
  livelink: ["livelink", "list_formats"],
  restore: ["maintenance", "restore_state"],
};

/** @typedef {keyof typeof QUESTIONS} Topic */

export class Answers {
  /** @type {Record<string, any>} */ data = {};
  /** @type {Record<string, string>} */ failures = {};

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
    const [group, action] = QUESTIONS[topic];
    try {
      this.data[topic] = await app.api.request(group, action);
      delete this.failures[topic];
    } catch (err) {
      const { message, fix } = /** @type {any} */ (err);
      this.failures[topic] = [message, fix].filter(Boolean).join(" ");
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
