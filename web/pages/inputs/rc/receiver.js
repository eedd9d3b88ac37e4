// State of the RC receiver: its condition, and position, settings and routes of each channel.
// Not here: requests (polls.js), drawing.

import { targetName, words } from "../../../lib/format.js";
import { STALE_MS } from "../../../lib/store.js";
import { polls } from "../polls.js";
import { microseconds } from "./scale.js";

/** @typedef {import("../../../context.js").With<"store" | "now">} App */
/** @typedef {import("../../../lib/types.js").RcChannel} RcChannel */
/** @typedef {import("../../../lib/types.js").RcChannelConfig} RcChannelConfig */
/** @typedef {import("../../../lib/types.js").RcStatus} RcStatus */

/** @param {RcStatus} status @returns {[string, string]} */
export function condition(status) {
  if (!status.enabled) return ["idle", "Off"];
  if (!status.connected) return ["bad", "No frames"];
  if (status.failsafe) return ["bad", "Signal lost"];
  return ["good", "Live"];
}

/** Whether the values shown are current. @param {App} app @param {RcStatus} status */
export function isReporting(app, status) {
  if (!status.enabled || !status.connected || status.failsafe) return false;
  const age = app.store.data.inputs?.rc?.receiver_age_ms ?? Infinity;
  return app.store.isFresh("inputs", app.now) && age < STALE_MS;
}

/**
 * Return the position, -1 to 1, from the fastest topic.
 * @param {App} app
 * @param {RcChannel} channel
 */
export function position(app, channel) {
  const live = app.store.data.inputs?.rc;
  const isDriving = app.store.sourceAge("rc", app.now) < STALE_MS;
  const sample = isDriving ? live?.values?.[`channel_${channel.channel}`] : undefined;
  const state = live?.channels?.find((each) => each.channel === channel.channel);
  return sample ?? state?.normalized ?? channel.normalized;
}

/** @param {number} number @returns {RcChannelConfig} */
export const settingsOf = (number) =>
  polls.channels.data?.channels?.find((each) => each.channel === number) ?? {
    channel: number,
    name: "",
    min: 1000,
    max: 2000,
    center: 1500,
    reversed: false,
  };

/**
 * @param {number} value
 * @param {RcChannelConfig} range
 * @param {RcChannel} channel whose reported pulse counts beyond the ends
 */
export const pulse = (value, range, channel) =>
  Math.abs(value) < 0.999 ? microseconds(value, range) : channel.us;

/** Return the outputs that routes drive by this channel. @param {number} number */
export function drivenBy(number) {
  const name = `channel_${number}`;
  const found = [];
  for (const { route } of polls.routes.data?.routes ?? []) {
    if (route.input.source !== "rc" || !route.enabled || !Array.isArray(route.mapping)) continue;
    for (const mapping of route.mapping) {
      if (mapping.from !== name) continue;
      const isStop = mapping.to === "estop";
      const { target } = route.output;
      const field = words(mapping.to).toLowerCase();
      const text = target === "*" ? field : `${targetName(target)} ${field}`;
      found.push({ isStop, text, isSwitch: mapping.mode === "switch" });
    }
  }
  return found;
}
