// Progress of the last change request for the host name or Wi-Fi. The server reverts a change that
// fails, which this page also shows after it has lost and regained the connection.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").MachineChange} Change */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").SettingsState} SettingsState */

const PERIOD_MS = 2000;
const TIMEOUT_MS = 100_000;

const watch = { timer: 0, untilMs: 0, said: "", beganAt: -1 };

const KINDS = { trying: "is-quiet", done: "is-quiet", taken_back: "", refused: "" };

/** @param {App} app @param {SettingsState} settings @param {Change} change */
export function lastChange(app, settings, change) {
  if (change.state === "trying" && !watch.timer) begin(app, settings, "", -1);
  const isTrying = watch.said || change.state === "trying";
  const text = watch.said || change.message;
  if (!text) return nothing;
  const state = isTrying ? "trying" : change.state;
  return html`
    <div class="notice ${state ? KINDS[state] : ""}" role="status" data-change=${state}>
      ${state === "taken_back" ? html`<strong>The network change was reverted.</strong> ` : nothing}
      ${state === "refused" ? html`<strong>The change failed.</strong> ` : nothing} ${text}
      ${isTrying ? html`<span class="quiet">Waiting for the server…</span>` : nothing}
    </div>
  `;
}

/** @param {Settings} known */
export const isWaiting = (known) => Boolean(watch.said) || known.change.state === "trying";

/**
 * Poll until the change has ended, also across a lost connection.
 * @param {App} app
 * @param {SettingsState} settings
 * @param {string} said
 */
export const follow = (app, settings, said) =>
  begin(app, settings, said, settings.data.robot?.change.begun_s ?? -1);

/**
 * @param {App} app
 * @param {SettingsState} settings
 * @param {string} said
 * @param {number} beganAt of the change before
 */
function begin(app, settings, said, beganAt) {
  Object.assign(watch, { said, untilMs: Date.now() + TIMEOUT_MS, beganAt });
  clearTimeout(watch.timer);
  watch.timer = setTimeout(() => poll(app, settings), PERIOD_MS);
}

/** @param {App} app @param {SettingsState} settings */
async function poll(app, settings) {
  if (app.api.state === "open") await settings.request(app, "robot");
  const change = settings.data.robot?.change;
  const hasEnded = change && change.begun_s !== watch.beganAt && change.state !== "trying";
  if (hasEnded || Date.now() > watch.untilMs) Object.assign(watch, { said: "", timer: 0 });
  else watch.timer = setTimeout(() => poll(app, settings), PERIOD_MS);
  app.draw();
}

/** @param {unknown} err */
export const sentence = (err) => sentenceOf(err).replace(/^params\./, "");
