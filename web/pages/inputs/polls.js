// Requests that the page "Inputs" repeats while it is shown, each with its newest reply.

import { problemOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/api.js").ApiError} ApiError */
/** @typedef {import("../../lib/types.js").Actions} Actions */

/** @template T */
export class Poll {
  /** The newest reply. @type {T | null} */ data = null;
  /** Error of the last request; null if it succeeded. @type {ApiError | null} */
  problem = null;
  #timer = 0;
  #isLoading = false;

  /**
   * @param {(app: App) => Promise<T>} request
   * @param {number} periodMs
   */
  constructor(request, periodMs) {
    this.request = request;
    this.periodMs = periodMs;
  }

  /** @param {App} app */
  start(app) {
    if (this.#timer) return;
    this.#timer = setInterval(() => this.refresh(app), this.periodMs);
    this.refresh(app);
  }

  stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
  }

  /** Request now, unless a request is pending or the page is hidden. @param {App} app */
  async refresh(app) {
    if (this.#isLoading || app.api.state !== "open" || document.hidden) return;
    this.#isLoading = true;
    try {
      this.data = await this.request(app);
      this.problem = null;
    } catch (err) {
      this.problem = problemOf(err);
    }
    this.#isLoading = false;
    app.draw();
  }
}

/**
 * @template {keyof Actions} Group
 * @template {keyof Actions[Group]} Name
 * @param {Group} group
 * @param {Name} action
 * @param {number} periodMs
 */
const poll = (group, action, periodMs) =>
  new Poll((/** @type {App} */ app) => app.api.request(group, action), periodMs);

/** @param {App} app */
async function allChannels({ api }) {
  const reply = await api.request("rc", "get_channel_config");
  return "channels" in reply ? reply : { channels: [reply] };
}

export const polls = {
  status: poll("rc", "get_status", 250),
  channels: new Poll(allChannels, 3000),
  failsafe: poll("rc", "get_failsafe", 3000),
  routes: poll("router", "list_routes", 5000),
  calibration: poll("rc", "get_calibration", 120),
  formats: poll("livelink", "list_formats", 5000),
  subjects: poll("livelink", "list_sources", 1000),
  senders: poll("livelink", "list_senders", 1000),
  recordings: poll("livelink", "list_recordings", 1000),
};
