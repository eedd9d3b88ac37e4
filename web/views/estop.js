// The emergency stop: one press stops, a latched stop cannot be missed, release asks first.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { dialog } from "../lib/dialog.js";
import { lately, sourceName } from "../lib/format.js";

/** @typedef {import("../app.js").App} App */

const PRESSED = "pressed on the page"; // the banner says who did, and needs no more

/** Stop the robot, and say when that was not confirmed. @param {App} app */
export async function stop(app) {
  app.dialogs.stop = { failed: "" };
  app.draw();
  try {
    await app.api.request("system", "estop", { enable: true, reason: PRESSED });
    app.dialogs.stop = null;
  } catch (err) {
    const { message } = /** @type {Error} */ (err);
    app.dialogs.stop = { failed: `The stop was not confirmed: ${message}` };
  }
  app.draw();
}

/** @param {App} app */
export function estopButton(app) {
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isPending = app.dialogs.stop && !app.dialogs.stop.failed;
  const key = app.stopKeys.label;
  if (isStopped) {
    return html`
      <button
        class="estop is-latched"
        type="button"
        data-estop="latched"
        @click=${() => ((app.dialogs.clearing = { refusal: "" }), app.draw())}
      >
        ${sign}<span><b>STOPPED</b><small>Release…</small></span>
      </button>
    `;
  }
  return html`
    <button
      class="estop"
      type="button"
      data-estop="ready"
      aria-label="Emergency stop"
      @click=${() => stop(app)}
    >
      ${sign}<span><b>STOP</b><small>${isPending ? "Stopping…" : "Emergency stop"}</small></span>
      ${key ? html`<kbd title="This key stops too">${key}</kbd>` : nothing}
    </button>
  `;
}

/** @param {App} app */
export function estopBanner(app) {
  const latch = app.store.data.system?.estop;
  const failed = app.dialogs.stop?.failed;
  if (failed && !latch?.active) {
    return html`
      <div class="banner lost" role="alert">
        <div><strong>${failed}</strong> Use the switch on the robot.</div>
        <button class="button" type="button" @click=${() => ((app.dialogs.stop = null), app.draw())}>
          Close
        </button>
      </div>
    `;
  }
  if (!latch?.active) return nothing;
  return html`
    <div class="banner stopped" role="alert">
      <div>
        <strong>Emergency stop.</strong>
        ${latch.source ? html`Pressed ${presser(app, latch.source)}` : "Active"}${latch.since
          ? html` at ${lately(latch.since)}`
          : nothing}${latch.reason && latch.reason !== PRESSED ? html`: ${latch.reason}` : nothing}. The robot takes no commands.
      </div>
      <button
        class="button"
        type="button"
        @click=${() => ((app.dialogs.clearing = { refusal: "" }), app.draw())}
      >
        Release…
      </button>
    </div>
  `;
}

/** @param {App} app @param {string} source */
const presser = (app, source) =>
  source === `websocket:${app.api.session.client_id}` ? "on this page" : `by ${sourceName(source)}`;

/** @param {App} app */
export function clearDialog(app) {
  const open = app.dialogs.clearing;
  const close = () => ((app.dialogs.clearing = null), app.draw());
  async function release() {
    try {
      await app.api.request("system", "estop", { enable: false });
      app.dialogs.clearing = null;
    } catch (err) {
      const { message, fix } = /** @type {any} */ (err);
      app.dialogs.clearing = { refusal: message, fix };
    }
    app.draw();
  }
  if (open && !app.store.data.system?.estop?.active) queueMicrotask(close);
  return dialog(
    open,
    close,
    () => html`
      <h2>Release the emergency stop?</h2>
      <p>
        Look at the robot first. Sticks and pads must be in the middle; afterwards nothing moves
        until an input is moved again.
      </p>
      <p class="refusal" role="alert">
        ${open.refusal ? html`<strong>The robot refuses:</strong> ${open.refusal}` : nothing}
      </p>
      <div class="actions">
        <button class="button" type="button" data-focus @click=${close}>Stay stopped</button>
        <button class="button danger" type="button" data-release @click=${release}>
          Release the stop
        </button>
      </div>
    `,
    "Release the emergency stop",
  );
}

const sign = html`<svg viewBox="0 0 32 32" width="34" height="34" aria-hidden="true">
  <path d="M10.2 2h11.6L30 10.2v11.6L21.8 30H10.2L2 21.8V10.2Z" fill="currentColor"/>
  <path class="sign-bar" d="M9 13.6h14v4.8H9Z"/>
</svg>`;
