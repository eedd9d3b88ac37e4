// Confirmation of a change that removes a way to stop the robot: names each stop; only an admin can
// confirm. Not here: which changes remove a stop (the router decides), other confirmations
// (confirm.js).

import { html } from "/vendor/lit-html/lit-html.js";
import { ApiError } from "../lib/api.js";
import { isAdmin } from "../lib/levels.js";
import { dialog } from "./dialog.js";

/** @typedef {import("../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {{names: string[], text: string, done: (isYes: boolean) => void}} StopsQuestion */

/**
 * Make a change; if it removes stops, ask for confirmation and repeat it with their names.
 * @template T
 * @param {App} app
 * @param {(names: string[]) => Promise<T>} send
 * @returns {Promise<T>}
 */
export async function confirmingStops(app, send) {
  try {
    return await send([]);
  } catch (err) {
    if (!(err instanceof ApiError) || err.code !== "stop_changed") throw err;
    if (!(await isConfirmed(app, err))) throw err;
    return send(err.names);
  }
}

/** @param {App} app @param {ApiError} err @returns {Promise<boolean>} */
export function isConfirmed(app, err) {
  app.dialogs.stops?.done(false);
  return new Promise((done) => {
    app.dialogs.stops = { names: err.names, text: err.message, done };
    app.draw();
  });
}

/** @param {App} app */
export function stopChangesDialog(app) {
  const open = app.dialogs.stops;
  const answer = (/** @type {boolean} */ isYes) => {
    app.dialogs.stops = null;
    app.draw();
    open?.done(isYes);
  };
  return dialog(
    open,
    () => answer(false),
    (open) => html`
      <h2>This changes what stops the robot</h2>
      <p>After this change these no longer stop the robot, or can be overridden by other inputs:</p>
      <ul data-stops>
        ${open.names.map((name) => html`<li><b>${name}</b></li>`)}
      </ul>
      <p class="notice">
        ${
          isAdmin(app)
            ? "Keep another stop within reach, and test it before the robot drives."
            : "Nothing has changed: this change needs the admin role."
        }
      </p>
      <div class="actions">
        <button class="button" type="button" data-focus @click=${() => answer(false)}>
          ${isAdmin(app) ? "Keep the stop" : "Close"}
        </button>
        ${
          isAdmin(app)
            ? html`<button
              class="button danger"
              type="button"
              data-lose-stops
              @click=${() => answer(true)}
            >
              Change it anyway
            </button>`
            : ""
        }
      </div>
    `,
    "This changes what stops the robot",
  );
}
