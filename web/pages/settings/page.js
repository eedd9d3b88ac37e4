// The page "Settings": one section below the other, each with an address (#/settings/rc).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { backupSection, restoreDialog } from "./backup.js";
import { firmwareSection } from "./firmware.js";
import { liveLinkSection } from "./livelink.js";
import { maintenanceSection } from "./maintenance.js";
import { networkSection } from "./network.js";
import { programsSection } from "./programs.js";
import { rcSection } from "./receiver.js";
import { nameSection } from "./robot.js";
import { section } from "./section.js";
import { SettingsState } from "./state.js";
import { usersDialog } from "./user-dialogs.js";
import { usersSection } from "./users.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store" |
 *   "toasts">} App
 */

const settings = new SettingsState();

const SECTIONS = [
  ["robot", "Robot"],
  ["network", "Network"],
  ["firmware", "Firmware"],
  ["rc", "RC receiver"],
  ["livelink", "LiveLink"],
  ["programs", "Programs"],
  ["users", "Users"],
  ["backup", "Backup"],
  ["maintenance", "Maintenance"],
];

/** @param {App} app @param {string} rest */
function view(app, rest) {
  return html`
    <div class="page-head"><h1>Settings</h1></div>
    <div class="settings">
      <nav class="settings-nav" aria-label="Settings">
        ${SECTIONS.map(
          ([id, title]) => html`
            <a
              href=${`#/settings/${id}`}
              aria-current=${id === rest ? "location" : nothing}
              @click=${() => show(id)}
            >${title}</a>
          `,
        )}
      </nav>
      <div class="settings-body">
        ${nameSection(app, settings)} ${networkSection(app, settings)} ${firmwareSection(app)}
        ${rcSection(app, settings)} ${liveLinkSection(app, settings)}
        ${programsSection(app, settings)}
        ${section("users", "Users and tokens", "", usersSection(app))}
        ${backupSection(app, settings)} ${maintenanceSection(app, settings)}
      </div>
    </div>
  `;
}

/**
 * Scroll to a section after the next drawing. Links call it too, because a second press on the same
 * link does not change the address.
 * @param {string} rest
 */
function show(rest) {
  if (rest) requestAnimationFrame(() => requestAnimationFrame(() => scrollToSection(rest)));
}

/** @param {string} id */
function scrollToSection(id) {
  document.getElementById(`set-${id}`)?.scrollIntoView({ block: "start" });
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view,
  dialogs: (app) => html`${restoreDialog(app, settings)} ${usersDialog(app)}`,
  open(app, rest) {
    settings.load(app);
    show(rest);
  },
  linked: (app) => settings.complete(app),
};
