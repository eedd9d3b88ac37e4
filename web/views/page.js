// The frame of the pages: header, banners, tabs, dialogs; and how the dashboard is laid out.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { activity } from "./activity.js";
import { adoptDialog, resetDialog } from "./adopt.js";
import { drivePad } from "./drive.js";
import { clearDialog, estopBanner, estopButton } from "./estop.js";
import { figure } from "./figure.js";
import { firmware } from "./firmware.js";
import { firmwareDialog } from "./firmwaredialogs.js";
import { header, linkBanner, tokenForm } from "./header.js";
import { inputs } from "./inputs.js";
import { nodes } from "./nodes.js";
import { outputs } from "./outputs.js";
import { currentPage, tabs } from "./tabs.js";
import { teleop } from "./teleop.js";

/** @type {Record<string, (app: import("../app.js").App) => any>} */
const PAGES = { dashboard, drive: teleop, firmware };

/** @param {import("../app.js").App} app */
export function page(app) {
  const isLocked = app.api.state === "locked";
  const isCut = app.api.state !== "open";
  const { adopting, resetting, clearing, firmware: asked } = app.dialogs;
  const isAsking = Boolean(adopting || resetting || clearing || asked);
  const shown = currentPage();
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div class="page ${isStopped ? "is-stopped" : ""} ${isCut ? "is-cut" : ""} ${shown === "drive" ? "is-drive" : ""}">
      <div ?inert=${isAsking}>
        ${header(app)}
        <div class="banners" role="status">${linkBanner(app)} ${estopBanner(app)}</div>
        ${isLocked ? nothing : tabs(app)}
        <main>${isLocked ? tokenForm(app) : PAGES[shown](app)}</main>
      </div>
      <div class="stop-dock">${estopButton(app)}</div>
      ${adoptDialog(app)} ${resetDialog(app)} ${clearDialog(app)} ${firmwareDialog(app)}
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
