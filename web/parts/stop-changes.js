// Asks before a change takes away what stops the robot: names each stop, and goes on only when an
// admin confirms them. Not here: which changes these are (the router decides), other questions
// (confirm.js).

import { html } from "/vendor/lit-html/lit-html.js";
import { ApiError } from "../lib/api.js";
import { isAdmin } from "../lib/levels.js";
import { dialog } from "./dialog.js";

/** @typedef {import("../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {{names: string[], text: string, done: (isYes: boolean) => void}} StopsQuestion */

/**
 * Make a change; when it would take a stop away, ask and make it with the names of these stops.
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
      <p>After this change the robot no longer stops, or is driven past its other inputs, by:</p>
      <ul data-stops>
        ${open.names.map((name) => html`<li><b>${name}</b></li>`)}
      </ul>
      <p class="notice">
        ${
          isAdmin(app)
            ? "Do this only when another stop is within reach, and test it before the robot drives."
            : "Only an admin may make this change. Nothing was changed."
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
              Change it all the same
            </button>`
            : ""
        }
      </div>
    `,
    "This changes what stops the robot",
  );
}
