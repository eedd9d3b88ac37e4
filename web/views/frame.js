// The frame around every page: header, banners, navigation, dialogs, and the stop above everything.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { confirmDialog } from "../parts/confirm.js";
import { stopChangesDialog } from "../parts/stop-changes.js";
import { toasts } from "../parts/toasts.js";
import { accountDialog } from "./account.js";
import { browserDialog } from "./browser-settings.js";
import { clearDialog, estopBanner, estopButton } from "./estop.js";
import { findDialog } from "./finder-button.js";
import { header, linkBanner } from "./header.js";
import { loginView } from "./login.js";
import { menuButton, navigation } from "./navigation.js";

/** @param {import("../context.js").App} app */
export function page(app) {
  const isLocked = app.api.state === "locked";
  const isCut = app.api.state !== "open" || app.api.isSilent(app.now);
  const { stop, ...dialogs } = app.dialogs;
  const hasDialog = Object.values(dialogs).some(Boolean);
  const { name } = app.router;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div
      class="page
        ${isStopped ? "is-stopped" : ""}
        ${isCut ? "is-cut" : ""}
        ${isLocked ? "is-locked" : ""} is-${name}"
    >
      <div class="frame" ?inert=${hasDialog}>
        <a class="skip" href="#main" @click=${toMain}>Skip to content</a>
        ${header(app)} ${isLocked ? nothing : navigation(app)}
        <div class="content">
          <div class="banners" role="status">${linkBanner(app)} ${estopBanner(app)}</div>
          <main id="main" tabindex="-1">${isLocked ? loginView(app) : shown(app)}</main>
        </div>
      </div>
      <div class="dock">
        <div class="dock-menu" ?inert=${hasDialog}>${isLocked ? nothing : menuButton(app)}</div>
        ${estopButton(app)}
      </div>
      ${clearDialog(app)} ${findDialog(app)} ${browserDialog(app)} ${accountDialog(app)}
      ${confirmDialog(app)}
      ${app.router.page?.dialogs?.(app) ?? nothing} ${stopChangesDialog(app)} ${toasts(app)}
      ${isStopped ? html`<div class="stop-frame" aria-hidden="true"></div>` : nothing}
    </div>
  `;
}

/** Move the focus by script, because the address is used for the page. @param {Event} event */
function toMain(event) {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

/** @param {import("../context.js").App} app */
function shown(app) {
  const { page, rest, failure } = app.router;
  if (page) return page.view(app, rest);
  if (!failure) return html`<p class="quiet" role="status">Loading…</p>`;
  return html`
    <div class="card empty" role="alert">
      <p>${failure}</p>
      <button class="button" type="button" @click=${() => app.router.follow()}>Try again</button>
    </div>
  `;
}
