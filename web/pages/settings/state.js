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

  /** @param {App} app */
  load(app) {
    for (const topic of Object.keys(QUESTIONS)) this.ask(app, /** @type {Topic} */ (topic));
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
