// What whoever uses this page may do: look, drive, administer. The robot checks it again; here it
// decides what is offered, and what is said where it is not.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

const RANKS = { viewer: 1, operator: 2, admin: 3 };

/** @typedef {import("../context.js").With<"api">} App */

/** @param {App} app @param {keyof typeof RANKS} needed */
function has(app, needed) {
  const { level } = app.api.session;
  return !level || RANKS[level] >= RANKS[needed];
}

/** Driving, and what changes how the robot moves. @param {App} app */
export const mayOperate = (app) => has(app, "operator");

/** @param {App} app */
export const isAdmin = (app) => has(app, "admin");

/** Why there are no controls here; nothing where there are. @param {App} app */
export function viewerNotice(app) {
  if (mayOperate(app)) return nothing;
  return html`<p class="notice is-quiet" data-viewer>
    You are here as a viewer: you see everything and may stop the robot. To drive it or to change
    settings, log in as an operator, or ask an admin for that role.
  </p>`;
}
