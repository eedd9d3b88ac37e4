// Confirmation before the user leaves a route with unsaved changes.

import { html } from "/vendor/lit-html/lit-html.js";
import { dialog } from "../../../parts/dialog.js";
import { editing, save } from "./editor.js";

/** @typedef {import("../../../context.js").App} App */

/** Whether the page may open another address now. @param {App} app @param {string} to */
export function mayLeave(app, to) {
  if (!editing.draft?.isChanged) return true;
  app.dialogs.leaving = { to, refusal: "" };
  app.draw();
  return false;
}

/** @param {App} app */
export function leaveDialog(app) {
  const open = app.dialogs.leaving;
  const close = () => ((app.dialogs.leaving = null), app.draw());
  const go = () => {
    editing.draft = null;
    app.dialogs.leaving = null;
    if (open) app.router.go(open.to);
  };
  const saveAndGo = async () => {
    const { draft } = editing;
    if (!draft || (await save(app, draft))) go();
    else close(); // the error is shown at its field
  };
  return dialog(
    open,
    close,
    () => html`
      <h2>Leave without saving?</h2>
      <p>The changes to ${editing.draft?.route.id} are not saved.</p>
      <div class="actions">
        <button class="button" type="button" data-focus @click=${close}>Keep editing</button>
        <button class="button" type="button" data-discard @click=${go}>Leave without saving</button>
        <button class="button primary" type="button" @click=${saveAndGo}>Save and leave</button>
      </div>
    `,
    "Leave without saving",
  );
}

// Closing the window shows the browser's own confirmation.
addEventListener("beforeunload", (event) => {
  if (editing.draft?.isChanged) event.preventDefault();
});
