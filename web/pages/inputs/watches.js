// What this page asks the robot for besides the topics.

import { Watch } from "./watch.js";

/** @typedef {import("../../context.js").With<"api">} App */

/** @typedef {import("../../lib/types.js").Actions} Actions */

/**
 * @template {keyof Actions} Group
 * @template {keyof Actions[Group]} Name
 * @param {Group} group
 * @param {Name} action
 * @param {number} periodMs
 */
const asked = (group, action, periodMs) =>
  new Watch((/** @type {App} */ app) => app.api.request(group, action), periodMs);

/** @param {App} app */
async function allChannels({ api }) {
  const reply = await api.request("rc", "get_channel_config");
  return "channels" in reply ? reply : { channels: [reply] };
}

export const watches = {
  status: asked("rc", "get_status", 250),
  channels: new Watch(allChannels, 3000),
  failsafe: asked("rc", "get_failsafe", 3000),
  routes: asked("router", "list_routes", 5000),
  calibration: asked("rc", "get_calibration", 120),
  formats: asked("livelink", "list_formats", 5000),
  subjects: asked("livelink", "list_sources", 1000),
  senders: asked("livelink", "list_senders", 1000),
  recordings: asked("livelink", "list_recordings", 1000),
};
