// The header: name and version of the robot, connection, load, account and this browser's settings.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { duration, fixed } from "../lib/format.js";
import { theme, toggleTheme } from "../lib/theme.js";
import { icon } from "../parts/icons.js";
import { accountButton } from "./account.js";
import { findButton } from "./finder-button.js";

/**
 * @typedef {import("../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" | "router" |
 *   "store" | "toasts">} App
 */

/** @param {App} app */
export function header(app) {
  const { api, store } = app;
  const system = store.data.system;
  const name = api.session.robot || "SAINT.OS";
  return html`
    <header class="top">
      <a class="brand" href="/dashboard">
        <img class="logo" src="/img/icon.svg" width="40" height="40" alt="">
        <span class="who">
          <strong>${name}</strong>
          <span class="quiet">SAINT.OS${system?.version ? ` ${system.version}` : ""}</span>
        </span>
      </a>
      <div class="chips">${connectionChip(app)} ${noPasswordChip(app)}</div>
      <dl class="vitals" ?data-stale=${!store.isFresh("system", app.now)}>
        ${vital("CPU", percent(system?.cpu_usage))}
        ${vital("Memory", percent(system?.memory_usage))}
        ${vital("Temp", system?.cpu_temp ? `${fixed(system.cpu_temp, 0)} °C` : "–")}
        ${vital("Up", system?.uptime_seconds ? duration(system.uptime_seconds) : "–")}
      </dl>
      ${findButton(app)} ${accountButton(app)}
      <button
        class="icon-button"
        type="button"
        aria-label="Browser settings: stop key and colours"
        title="Stop key and colours"
        @click=${() => ((app.dialogs.browser = {}), app.draw())}
      >
        ${icon("tune")}
      </button>
      <button
        class="icon-button toggle-theme"
        type="button"
        aria-label=${theme() === "dark" ? "Use light colours" : "Use dark colours"}
        @click=${() => (toggleTheme(), app.draw())}
      >
        ${icon(theme() === "dark" ? "sun" : "moon")}
      </button>
    </header>
  `;
}

/** @param {string} name @param {string} value */
const vital = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** @param {number | null | undefined} value */
const percent = (value) => (value === null || value === undefined ? "–" : `${fixed(value, 0)} %`);

/** @param {App} app */
function connectionChip(app) {
  const [kind, text] = {
    open: ["good", "Connected"],
    connecting: ["idle", "Connecting"],
    lost: ["bad", "No connection"],
    locked: ["warn", "Not signed in"],
  }[app.api.state];
  if (app.api.state === "open" && app.api.isSilent(app.now)) {
    return html`<span class="chip warn" data-link="silent"><i class="dot"></i>No data</span>`;
  }
  return html`<span class="chip ${kind}" data-link=${app.api.state}
    ><i class="dot"></i>${text}</span>`;
}

/** @param {App} app */
function noPasswordChip(app) {
  if (app.api.state !== "open" || app.api.session.token_required) return nothing;
  return html`<span
    class="chip warn"
    title="No sign-in is required: everyone who can reach this address is admin"
  >
    No password
  </span>`;
}

/** @param {App} app */
export function linkBanner(app) {
  if (app.api.state !== "lost") return nothing;
  const wait = Math.max(0, Math.ceil((app.api.retryAt - app.now) / 1000));
  return html`
    <div class="banner lost">
      <div>
        <strong>No connection to the robot.</strong> The values shown are old.
        ${wait > 0 ? `Reconnecting in ${wait} s.` : "Reconnecting…"}
      </div>
      <button class="button" type="button" @click=${() => app.api.retry()}>Reconnect now</button>
    </div>
  `;
}
