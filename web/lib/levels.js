// Decides by the signed-in role (viewer, operator, admin) which controls a page shows. The robot
// checks each request itself.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

const RANKS = { viewer: 1, operator: 2, admin: 3 };

/** @typedef {import("../context.js").With<"api">} App */

/** @param {App} app @param {keyof typeof RANKS} needed */
function has(app, needed) {
  const { level } = app.api.session;
  return !level || RANKS[level] >= RANKS[needed];
}

/** Whether the user may drive, and change how the robot moves. @param {App} app */
export const mayOperate = (app) => has(app, "operator");

/** @param {App} app */
export const isAdmin = (app) => has(app, "admin");

/** Explain to a viewer why the controls are missing. @param {App} app */
export function viewerNotice(app) {
  if (mayOperate(app)) return nothing;
  return html`<p class="notice is-quiet" data-viewer>
    View-only account: you can see everything and stop the robot. Driving and changing settings need
    the operator role; an admin can grant it.
  </p>`;
}
