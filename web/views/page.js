// The frame of the pages: header, banners, tabs, dialogs, and the stop above everything.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { clearDialog, estopBanner, estopButton } from "./estop.js";
import { header, linkBanner, tokenForm } from "./header.js";
import { tabs } from "./tabs.js";

/** @param {import("../app.js").App} app */
export function page(app) {
  const isLocked = app.api.state === "locked";
  const isCut = app.api.state !== "open";
  const { stop, ...asking } = app.dialogs;
  const isAsking = Object.values(asking).some(Boolean);
  const { name } = app.router;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div class="page ${isStopped ? "is-stopped" : ""} ${isCut ? "is-cut" : ""} ${name === "drive" ? "is-drive" : ""}">
      <div ?inert=${isAsking}>
        ${header(app)}
        <div class="banners" role="status">${linkBanner(app)} ${estopBanner(app)}</div>
        ${isLocked ? nothing : tabs(app)}
        <main>${isLocked ? tokenForm(app) : shown(app)}</main>
      </div>
      <div class="stop-dock">${estopButton(app)}</div>
      ${clearDialog(app)} ${app.router.page?.dialogs?.(app) ?? nothing}
      ${isStopped ? html`<div class="stop-frame" aria-hidden="true"></div>` : nothing}
    </div>
  `;
}

/** @param {import("../app.js").App} app */
function shown(app) {
  const { page, rest, failure } = app.router;
  if (page) return page.view(app, rest);
  if (!failure) return html`<p class="quiet" role="status">One moment…</p>`;
  return html`
    <div class="card empty" role="alert">
      <p>${failure}</p>
      <button class="button" type="button" @click=${() => app.router.follow()}>Try again</button>
    </div>
  `;
}
