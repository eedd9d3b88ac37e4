// The page "Settings": one section at a time, each with an address (/settings/rc). Without one a
// wide screen shows the first section beside the list, a phone the list alone.

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
 *
 * @typedef {object} Section
 * @property {string} title
 * @property {import("./state.js").Topic[]} needs settings that it shows
 * @property {(app: App) => unknown} view
 */

const settings = new SettingsState();

/** In the order of the list. @type {Record<string, Section>} */
const SECTIONS = {
  robot: { title: "Robot", needs: ["robot"], view: (app) => nameSection(app, settings) },
  network: { title: "Network", needs: ["robot"], view: (app) => networkSection(app, settings) },
  firmware: { title: "Firmware", needs: [], view: firmwareSection },
  rc: {
    title: "RC receiver",
    needs: ["rc", "failsafe", "protocol"],
    view: (app) => rcSection(app, settings),
  },
  livelink: {
    title: "LiveLink",
    needs: ["livelink", "robot"],
    view: (app) => liveLinkSection(app, settings),
  },
  programs: {
    title: "Programs",
    needs: ["programs"],
    view: (app) => programsSection(app, settings),
  },
  users: {
    title: "Users",
    needs: [],
    view: (app) => section("users", "Users and tokens", "", usersSection(app)),
  },
  backup: { title: "Backup", needs: ["restore"], view: (app) => backupSection(app, settings) },
  maintenance: {
    title: "Maintenance",
    needs: ["robot"],
    view: (app) => maintenanceSection(app, settings),
  },
};

/** Return the section of an address; "" for the list. @param {string} rest */
const named = (rest) => (Object.hasOwn(SECTIONS, rest) ? rest : "");

/** @param {string} rest */
const shown = (rest) => named(rest) || Object.keys(SECTIONS)[0];

/** @param {App} app @param {string} rest */
function view(app, rest) {
  const open = named(rest);
  const { view: body } = SECTIONS[shown(rest)];
  return html`
    <div class="page-head">
      <div>
        ${open ? html`<p class="way-back"><a href="/settings">All settings</a></p>` : nothing}
        <h1>Settings${open && html`<span class="hidden">: ${SECTIONS[open].title}</span>`}</h1>
      </div>
    </div>
    <div class="settings ${open ? "is-open" : ""}">
      <nav class="settings-nav" aria-label="Settings">
        ${Object.entries(SECTIONS).map(
          ([id, { title }]) => html`
            <a
              href=${`/settings/${id}`}
              aria-current=${id === shown(rest) ? "page" : nothing}
            >${title}</a>
          `,
        )}
      </nav>
      <div class="settings-body">${body(app)}</div>
    </div>
  `;
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view,
  dialogs: (app) => html`${restoreDialog(app, settings)} ${usersDialog(app)}`,
  open: (app, rest) => settings.open(app, SECTIONS[shown(rest)].needs),
  linked: (app) => settings.complete(app),
};
