// The emergency stop (e-stop): one press stops; a banner shows a latched stop; clearing it needs
// confirmation.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../lib/api.js";
import { lately, sourceName } from "../lib/format.js";
import { dialog } from "../parts/dialog.js";
import { outcomeList, unconfirmed } from "./stop-outcomes.js";

/**
 * @typedef {import("../context.js").With<"api" | "dialogs" | "draw" | "now" | "stopKeys" |
 *   "store">} App
 */
/** @typedef {import("../lib/types.js").LatchState} EStop */
/** @typedef {{latch: EStop, refusal: string, fix?: string}} OpenClearing */

const PRESSED = "pressed on the page"; // not shown: the banner names the source already

/** Stop the robot, and show an error if the stop is not confirmed. @param {App} app */
export async function stop(app) {
  app.dialogs.stop = { failed: "" };
  app.draw();
  try {
    const reply = await app.api.request("system", "estop", { enable: true, reason: PRESSED });
    const { stored, problem } = reply.estop;
    app.dialogs.stop = stored === false ? { failed: notStored(problem), isActive: true } : null;
  } catch (err) {
    const { message } = /** @type {Error} */ (err);
    app.dialogs.stop = { failed: `Stop not confirmed: ${message}` };
  }
  app.draw();
}

/** @param {App} app */
export function estopButton(app) {
  const latch = app.store.data.system?.estop;
  const isStopped = Boolean(latch?.active);
  const isPending = app.dialogs.stop && !app.dialogs.stop.failed;
  const key = app.stopKeys.label;
  if (isStopped) {
    return html`
      <button
        class="estop is-latched"
        type="button"
        data-estop="latched"
        @click=${() => openClearing(app)}
      >
        ${sign}<span>
          <b>${latch?.confirmed ? "STOPPED" : "STOPPING"}</b>
          <small>Clear…</small>
        </span>
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
      ${key ? html`<kbd title="This key also stops the robot">${key}</kbd>` : nothing}
    </button>
  `;
}

/** @param {App} app */
export function estopBanner(app) {
  const latch = app.store.data.system?.estop;
  const { failed, isActive } = app.dialogs.stop ?? {};
  const isShown = failed && (isActive || !latch?.active);
  return [
    isShown ? failedBanner(app, failed) : nothing,
    latch?.active ? unconfirmed(latch, app.now) : nothing,
    latch?.active ? stoppedBanner(app, latch) : nothing,
  ];
}

/** @param {App} app @param {string} failed */
function failedBanner(app, failed) {
  return html`
    <div class="banner lost" role="alert">
      <div><strong>${failed}</strong> Use the switch on the robot.</div>
      <button class="button" type="button" @click=${() => ((app.dialogs.stop = null), app.draw())}>
        Close
      </button>
    </div>
  `;
}

/** Show the first press and the number of later ones. @param {App} app @param {EStop} latch */
function stoppedBanner(app, latch) {
  const others = count(latch) - 1;
  return html`
    <div class="banner stopped" role="alert">
      <div>
        <strong>Emergency stop.</strong>
        ${latch.source ? html`Pressed ${presser(app, latch.source)}` : "Active"}${
          latch.since ? html` at ${lately(latch.since)}` : nothing
        }${latch.reason && latch.reason !== PRESSED ? html`: ${latch.reason}` : nothing}.
        ${
          others > 0
            ? html`<strong>${others} more ${others > 1 ? "presses" : "press"}.</strong>`
            : nothing
        }
        The robot accepts no commands.
      </div>
      <button class="button" type="button" @click=${() => openClearing(app)}>
        Clear…
      </button>
    </div>
  `;
}

/** @param {App} app @param {string} source */
const presser = (app, source) =>
  source === `websocket:${app.api.session.client_id}` ? "on this page" : `by ${sourceName(source)}`;

/** @param {EStop} latch */
const count = (latch) => latch.presses.length + latch.more;

/** @param {string} problem */
const notStored = (problem) =>
  `The robot is stopped, but the stop could not be stored (${problem}). Switch the robot off and ` +
  "keep it off until the server's card is replaced.";

/** A button that opens the dialog that clears a stop, for other pages. @param {App} app */
export const clearButton = (app) =>
  html`
    <button class="button" type="button" data-open-clear @click=${() => openClearing(app)}>
      Clear stop…
    </button>
  `;

/** Open the dialog; it clears only the presses that it shows. @param {App} app */
function openClearing(app) {
  const latch = app.store.data.system?.estop;
  if (latch?.active) app.dialogs.clearing = { refusal: "", latch };
  app.draw();
}

/** @param {App} app @param {EStop} latch @param {EStop} seen */
function pressList(app, latch, seen) {
  const known = new Set(seen.presses.map(key));
  return html`
    <ol class="presses" aria-label="Presses">
      ${latch.presses.map((press, at) => {
        const isNew =
          latch !== seen &&
          (!known.has(key(press)) || at >= latch.presses.length - added(latch, seen));
        return html`
          <li class=${isNew ? "is-new" : ""}>
            ${isNew ? html`<span class="chip bad">New</span>` : nothing}
            <b>${press.source ? `Pressed ${presser(app, press.source)}` : "Pressed"}</b>
            ${press.since ? html`<small>${lately(press.since)}</small>` : nothing}
            ${press.reason && press.reason !== PRESSED ? html`<p>${press.reason}</p>` : nothing}
          </li>
          ${
            at === 0 && latch.more
              ? html`<li class="left-out">${latch.more} more, not listed</li>`
              : nothing
          }
        `;
      })}
    </ol>
  `;
}

/** @param {EStop["presses"][number]} press */
const key = (press) => JSON.stringify([press.source, press.reason, press.since]);

/** @param {EStop} latch @param {EStop} seen */
const added = (latch, seen) => Math.max(0, count(latch) - count(seen));

/** @param {App} app */
export function clearDialog(app) {
  const open = app.dialogs.clearing;
  const latch = app.store.data.system?.estop;
  const close = () => ((app.dialogs.clearing = null), app.draw());
  /** Clear the stop that the user has seen, and no later one. @param {number} generation */
  async function clear(generation) {
    try {
      await app.api.request("system", "estop", { enable: false, generation });
      app.dialogs.clearing = null;
    } catch (err) {
      const { message, fix } = problemOf(err);
      if (app.dialogs.clearing)
        app.dialogs.clearing = { ...app.dialogs.clearing, refusal: message, fix };
    }
    app.draw();
  }
  if (open && !latch?.active) queueMicrotask(close);
  return dialog(
    open,
    close,
    (open) => question(app, open, latch ?? open.latch, close, () => clear(open.latch.generation)),
    "Clear the emergency stop",
  );
}

/**
 * @param {App} app @param {{latch: EStop, refusal: string}} open @param {EStop} latch
 * @param {() => void} close @param {() => void} clear
 */
function question(app, open, latch, close, clear) {
  const isSeen = latch.generation === open.latch.generation;
  const acknowledge = () => ((app.dialogs.clearing = { refusal: "", latch }), app.draw());
  return html`
    <h2>Clear the emergency stop?</h2>
    ${pressList(app, latch, isSeen ? latch : open.latch)} ${outcomeList(latch.outcomes ?? [])}
    <p>
      Check the robot first and centre all sticks. Then the robot stands still until an input moves.
    </p>
    <p class="refusal" role="alert">
      ${
        isSeen
          ? open.refusal
            ? html`<strong>The stop stays:</strong> ${open.refusal}`
            : nothing
          : html`<strong>The stop was pressed again</strong> while this dialog was open.`
      }
    </p>
    <div class="actions">
      <button class="button" type="button" data-focus @click=${close}>Keep the stop</button>
      ${
        isSeen
          ? html`
            <button class="button danger" type="button" data-clear @click=${clear}>
              Clear the stop
            </button>
          `
          : html`
            <button class="button" type="button" data-acknowledge @click=${acknowledge}>
              Acknowledge the press
            </button>
          `
      }
    </div>
  `;
}

const sign = html`<svg viewBox="0 0 32 32" width="34" height="34" aria-hidden="true">
  <path d="M10.2 2h11.6L30 10.2v11.6L21.8 30H10.2L2 21.8V10.2Z" fill="currentColor"/>
  <path class="sign-bar" d="M9 13.6h14v4.8H9Z"/>
</svg>`;
