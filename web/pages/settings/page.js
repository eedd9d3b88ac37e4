// The page "Settings": sections one below the other, with an address each (#/settings/rc).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { backupSection, restoreDialog } from "./backup.js";
import { firmwareSection } from "./firmware.js";
import { liveLinkSection } from "./livelink.js";
import { maintenanceSection } from "./maintenance.js";
import { networkSection } from "./network.js";
import { rcSection } from "./receiver.js";
import { nameSection } from "./robot.js";
import { section } from "./section.js";
import { Answers } from "./state.js";
import { usersDialog } from "./user-dialogs.js";
import { usersSection } from "./users.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store" |
 *   "toasts">} App
 */

const answers = new Answers();

const PLACES = [
  ["robot", "Robot"],
  ["network", "Network"],
  ["firmware", "Firmware"],
  ["rc", "RC receiver"],
  ["livelink", "LiveLink"],
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
        ${PLACES.map(
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
        ${nameSection(app, answers)} ${networkSection(app, answers)} ${firmwareSection(app)}
        ${rcSection(app, answers)} ${liveLinkSection(app, answers)}
        ${section("users", "Users and tokens", "", usersSection(app))}
        ${backupSection(app, answers)} ${maintenanceSection(app, answers)}
      </div>
    </div>
  `;
}

/**
 * To the section that the address names, once it is drawn; a press on the same link again changes
 * no address.
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
  dialogs: (app) => html`${restoreDialog(app, answers)} ${usersDialog(app)}`,
  open(app, rest) {
    answers.load(app);
    show(rest);
  },
  linked: (app) => answers.complete(app),
};
