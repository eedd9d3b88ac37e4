// The dialog with one channel's settings. The robot validates them too, and its error is shown at
// the field concerned.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../../lib/api.js";
import { onSubmit, withChecked, withValue } from "../../../lib/events.js";
import { fixed } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { dialog } from "../../../parts/dialog.js";
import { polls } from "../polls.js";
import { drivenBy, isReporting, position, pulse, settingsOf } from "./receiver.js";
import { scale } from "./scale.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../../lib/types.js").RcChannelConfig} RcChannelConfig */
/** @typedef {"min" | "center" | "max"} End */
/** @typedef {Record<End, number | string>} Ends as typed */
/** @typedef {{faults: Record<string, string>, refusal: string, isBusy: boolean}} RequestState */
/** @typedef {Omit<RcChannelConfig, End> & Ends & RequestState} OpenChannel */

const ENDS = /** @type {const} */ ([
  ["min", "Low end"],
  ["center", "Middle"],
  ["max", "High end"],
]);
const LONGEST_US = 4095;

/** @param {App} app @param {number} number */
export function openChannel(app, number) {
  app.dialogs.channel = { ...settingsOf(number), faults: {}, refusal: "", isBusy: false };
  app.draw();
}

/** @param {App} app */
export function channelDialog(app) {
  const open = app.dialogs.channel;
  const close = () => ((app.dialogs.channel = null), app.draw());
  return dialog(open, close, (open) => form(app, open, close), "Channel");
}

/** @param {App} app @param {OpenChannel} open @param {() => void} close */
function form(app, open, close) {
  const status = polls.status.data;
  const channel = status?.channels.find((each) => each.channel === open.channel);
  const before = settingsOf(open.channel);
  const us = channel ? pulse(position(app, channel), before, channel) : null;
  const isLive = Boolean(channel && status && isReporting(app, status));
  const drives = drivenBy(open.channel).map((each) =>
    each.isStop ? "the emergency stop" : each.text,
  );
  return html`
    <form class="form channel-form" novalidate @submit=${onSubmit(() => save(app, open))}>
      <h2>CH ${open.channel}</h2>
      <p class="quiet">
        ${drives.length ? `Used by routes for: ${drives.join(", ")}.` : "Not used by any route."}
      </p>
      <div class="now" ?data-stale=${!isLive}>
        ${scale(us, { min: Number(open.min), max: Number(open.max), center: Number(open.center) })}
        <span class="number">${isLive ? `${fixed(us, 0)} µs` : "no signal"}</span>
      </div>
      <label class="entry">
        <span>Name</span>
        <input data-focus name="name" maxlength="64" autocomplete="off" .value=${open.name}
          @input=${withValue((value) => (open.name = value))}>
      </label>
      ${ENDS.map(([key, title]) => end(app, open, key, title, isLive ? us : null))}
      <label class="check">
        <input type="checkbox" name="reversed" .checked=${open.reversed}
          @change=${withChecked((isOn) => ((open.reversed = isOn), app.draw()))}>
        Reversed: the low end counts as +1
      </label>
      <p class="refusal" role="alert">${open.refusal || nothing}</p>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button
          class="button primary"
          type="submit"
          data-save
          ?disabled=${open.isBusy || !mayOperate(app)}
        >
          ${open.isBusy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  `;
}

/**
 * @param {App} app
 * @param {OpenChannel} open
 * @param {End} key
 * @param {string} title
 * @param {number | null} us
 */
function end(app, open, key, title, us) {
  const fault = open.faults[key];
  return html`
    <div class="end">
      <label class="entry ${fault ? "is-wrong" : ""}">
        <span>${title}, µs</span>
        <input
          name=${key}
          type="number"
          inputmode="numeric"
          step="1"
          min="0"
          max=${LONGEST_US}
          .value=${String(open[key])}
          aria-invalid=${fault ? "true" : "false"}
          aria-describedby=${fault ? `fault-${key}` : nothing}
          @input=${withValue((value) => ((open[key] = value), check(open), app.draw()))}>
      </label>
      <button class="button small" type="button" ?disabled=${us === null}
        @click=${() => ((open[key] = Math.round(us ?? 0)), check(open), app.draw())}
      >
        Use ${us === null ? "position" : `${fixed(us, 0)} µs`}
      </button>
      ${fault ? html`<p class="wrong" id=${`fault-${key}`}>${fault}</p>` : nothing}
    </div>
  `;
}

/** Apply the robot's rules while the user types. @param {OpenChannel} open */
function check(open) {
  /** @type {Record<string, string>} */
  const faults = {};
  for (const [key] of ENDS) {
    const number = Number(open[key]);
    if (open[key] === "" || !Number.isInteger(number) || number < 0 || number > LONGEST_US) {
      faults[key] = `Enter a whole number from 0 to ${LONGEST_US} µs.`;
    }
  }
  if (!faults.min && !faults.center && Number(open.min) >= Number(open.center)) {
    faults.min = `Must be below the middle (${open.center} µs).`;
  }
  if (!faults.max && !faults.center && Number(open.max) <= Number(open.center)) {
    faults.max = `Must be above the middle (${open.center} µs).`;
  }
  open.faults = faults;
}

/** @param {App} app @param {OpenChannel} open */
async function save(app, open) {
  check(open);
  if (Object.keys(open.faults).length) return app.draw();
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  const { channel, name, reversed } = open;
  const ends = { min: Number(open.min), center: Number(open.center), max: Number(open.max) };
  try {
    await app.api.request("rc", "set_channel_config", { channel, name, reversed, ...ends });
    app.dialogs.channel = null;
    app.toasts.done(`CH ${channel} saved.`);
    polls.channels.refresh(app);
  } catch (err) {
    const { message, fix } = problemOf(err);
    const field = /params\.(\w+)/.exec(message)?.[1];
    if (field && ENDS.some(([key]) => key === field)) open.faults = { [field]: message };
    else open.refusal = [message, fix].filter(Boolean).join(" ");
    open.isBusy = false;
  }
  app.draw();
}
