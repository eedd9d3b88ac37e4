// The frame of the page: header, banners, dashboard, dialogs.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { activity } from "./activity.js";
import { adoptDialog, resetDialog } from "./adopt.js";
import { drivePad } from "./drive.js";
import { clearDialog, estopBanner, estopButton } from "./estop.js";
import { figure } from "./figure.js";
import { header, linkBanner, tokenForm } from "./header.js";
import { inputs } from "./inputs.js";
import { nodes } from "./nodes.js";
import { outputs } from "./outputs.js";

/** @param {import("../app.js").App} app */
export function page(app) {
  const isLocked = app.api.state === "locked";
  const isCut = app.api.state !== "open";
  const isAsking = Boolean(app.dialogs.adopting || app.dialogs.resetting || app.dialogs.clearing);
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div class="page ${isStopped ? "is-stopped" : ""} ${isCut ? "is-cut" : ""}">
      <div ?inert=${isAsking}>
        ${header(app)}
        <div class="banners" role="status">${linkBanner(app)} ${estopBanner(app)}</div>
        <main>${isLocked ? tokenForm(app) : dashboard(app)}</main>
      </div>
      <div class="stop-dock">${estopButton(app)}</div>
      ${adoptDialog(app)} ${resetDialog(app)} ${clearDialog(app)}
      ${isStopped ? html`<div class="stop-frame" aria-hidden="true"></div>` : nothing}
    </div>
  `;
}

/** @param {import("../app.js").App} app */
function dashboard(app) {
  return html`
    <h1 class="hidden">Dashboard</h1>
    <div class="columns">
      <div class="column wide">${nodes(app)} ${outputs(app)} ${activity(app)}</div>
      <div class="column">${figure(app)} ${inputs(app)} ${drivePad(app)}</div>
    </div>
  `;
}
