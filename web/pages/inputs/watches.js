// What this page asks the robot for besides the topics.

import { Watch } from "./watch.js";

/** @typedef {import("../../app.js").App} App */

/**
 * @param {string} group
 * @param {string} action
 * @param {number} periodMs
 * @param {object} [params]
 */
const asked = (group, action, periodMs, params = {}) =>
  new Watch((/** @type {App} */ app) => app.api.request(group, action, params), periodMs);

export const watches = {
  status: asked("rc", "get_status", 250),
  channels: asked("rc", "get_channel_config", 3000),
  failsafe: asked("rc", "get_failsafe", 3000),
  routes: asked("router", "list_routes", 5000),
  calibration: asked("rc", "get_calibration", 120),
  formats: asked("livelink", "list_formats", 5000),
  subjects: asked("livelink", "list_sources", 1000),
  senders: asked("livelink", "list_senders", 1000),
  recordings: asked("livelink", "list_recordings", 1000),
};
