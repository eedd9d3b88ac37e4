// The page "Inputs": who may command this robot, and what they say. A tab for each kind.

import { html } from "/vendor/lit-html/lit-html.js";
import { tabs } from "../../parts/tabs.js";
import { clients } from "./clients.js";
import { codeDialog } from "./livelink/listeners.js";
import { livelink } from "./livelink/tab.js";
import { programs } from "./programs.js";
import { closeCalibration, wizard } from "./rc/calibration.js";
import { channelDialog } from "./rc/channel-form.js";
import { closeDrill, drillDialog } from "./rc/failsafe-drill-dialog.js";
import { rc } from "./rc/tab.js";
import { watches } from "./watches.js";

/** @typedef {import("../../context.js").App} App */

/** @type {Record<string, {title: string, view: (app: App) => unknown}>} */
const TABS = {
  rc: { title: "RC", view: rc },
  livelink: { title: "LiveLink", view: livelink },
  websocket: { title: "WebSocket", view: clients },
  autonomous: { title: "Autonomous", view: programs },
};

/** @param {string} rest */
const shown = (rest) => (rest in TABS ? rest : "rc");

/** @param {App} app @param {string} rest */
function open(app, rest) {
  for (const watch of Object.values(watches)) watch.stop();
  for (const watch of TABS_NEED[shown(rest)]) watch.start(app);
}

const { status, channels, failsafe, routes, formats, subjects, senders, recordings } = watches;
/** @type {Record<string, Pick<(typeof watches)["status"], "start">[]>} */
const TABS_NEED = {
  rc: [status, channels, failsafe, routes],
  livelink: [formats, subjects, senders, recordings],
  websocket: [],
  autonomous: [],
};

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: (rest) => ({ inputs: 20, ...(shown(rest) === "rc" && { outputs: 10 }) }),
  view(app, rest) {
    const name = shown(rest);
    const parts = Object.entries(TABS).map(([each, { title }]) => ({
      href: `#/inputs/${each}`,
      title,
    }));
    return html`
      <div class="page-head"><h1>Inputs</h1></div>
      ${tabs("Kinds of inputs", parts, `#/inputs/${name}`)} ${TABS[name].view(app)}
    `;
  },
  dialogs: (app) => [channelDialog(app), wizard(app), drillDialog(app), codeDialog(app)],
  open,
  close(app) {
    for (const watch of Object.values(watches)) watch.stop();
    closeCalibration(app);
    closeDrill(app);
  },
};
