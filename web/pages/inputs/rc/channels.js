// The list of RC channels: position, function and driven outputs of each.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../../lib/format.js";
import { reading } from "../../../parts/live.js";
import { openChannel } from "./channel-form.js";
import { drivenBy, isReporting, position, pulse, settingsOf } from "./receiver.js";
import { scale } from "./scale.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../../lib/types.js").RcChannel} RcChannel */
/** @typedef {import("../../../lib/types.js").RcStatus} RcStatus */

const SWITCH_FROM = 5; // the first four channels are sticks on common transmitters
const FULL = 0.9;

/** @param {App} app @param {RcStatus} status */
export function channels(app, status) {
  const received = status.channels;
  const isLive = isReporting(app, status);
  return html`
    <section class="channels-part" aria-labelledby="channels-title" ?data-stale=${!isLive}>
      <div class="section-head">
        <h2 id="channels-title">Channels</h2>
        <span class="quiet">${
          received.length ? `${received.length} channels; select one to set it up` : ""
        }</span>
      </div>
      ${
        received.length
          ? html`<ul class="card rc-channels">
            ${repeat(
              received,
              (each) => each.channel,
              (each) => row(app, each, status),
            )}
          </ul>`
          : html`<div class="card empty">
            <h3>No channels received</h3>
            <p>
              Turn the transmitter on. If it is on, check the wiring and the protocol below;
              "Detect" tries all protocols.
            </p>
          </div>`
      }
    </section>
  `;
}

/** @param {App} app @param {RcChannel} channel @param {RcStatus} status */
function row(app, channel, status) {
  const value = position(app, channel);
  const range = settingsOf(channel.channel);
  const us = pulse(value, range, channel);
  const title = channel.name || `CH ${channel.channel}`;
  return html`
    <li data-channel=${channel.channel}>
      <button
        type="button"
        class="channel"
        aria-label=${`Set up ${title}`}
        @click=${() => openChannel(app, channel.channel)}
      >
        <span class="channel-name">
          <b>${title}</b>
          <small>${[channel.name && `CH ${channel.channel}`, range.reversed && "reversed"]
            .filter(Boolean)
            .join(" · ")}</small>
        </span>
        ${scale(us, range)}
        <span class="number">${reading(fixed(value, 2))}</span>
        <span class="us">${reading(fixed(us, 0))} <small>µs</small></span>
        <span class="marks">${marks(channel, status, value)}</span>
      </button>
    </li>
  `;
}

/** @param {RcChannel} channel @param {RcStatus} status @param {number} value */
function marks(channel, status, value) {
  const drives = drivenBy(channel.channel);
  const isStop = drives.some((each) => each.isStop);
  const isArm = channel.channel === status.arm_channel;
  const others = drives.filter((each) => !each.isStop).map((each) => each.text);
  const isSwitch = isStop || isArm || drives.some((each) => each.isSwitch);
  const looksLikeOne = channel.channel >= SWITCH_FROM && Math.abs(value) >= FULL;
  return html`
    ${isArm ? html`<b class="tag arm">Arm switch</b>` : nothing}
    ${isStop ? html`<b class="tag stop">E-stop</b>` : nothing}
    ${channel.channel === status.failsafe_channel ? html`<b class="tag">Failsafe</b>` : nothing}
    ${isSwitch || looksLikeOne ? html`<span>${switchWord(value)}</span>` : nothing}
    ${others.length ? html`<span class="quiet">${others.join(", ")}</span>` : nothing}
  `;
}

/** @param {number} value */
function switchWord(value) {
  if (value >= FULL) return "high";
  if (value <= -FULL) return "low";
  return Math.abs(value) < 0.15 ? "middle" : "between";
}
