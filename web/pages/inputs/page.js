// The page "Inputs": the sources that command this robot and their values, one tab for each kind.

import { html } from "/vendor/lit-html/lit-html.js";
import { tabs } from "../../parts/tabs.js";
import { clients } from "./clients.js";
import { codeDialog } from "./livelink/listeners.js";
import { livelink } from "./livelink/tab.js";
import { polls } from "./polls.js";
import { closeCalibration, wizard } from "./rc/calibration.js";
import { channelDialog } from "./rc/channel-form.js";
import { closeDrill, drillDialog } from "./rc/failsafe-drill-dialog.js";
import { rc } from "./rc/tab.js";
import { programs } from "./sources.js";

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
  for (const poll of Object.values(polls)) poll.stop();
  for (const poll of TAB_POLLS[shown(rest)]) poll.start(app);
}

const { status, channels, failsafe, routes, formats, subjects, senders, recordings } = polls;
/** @type {Record<string, Pick<(typeof polls)["status"], "start">[]>} */
const TAB_POLLS = {
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
      href: `/inputs/${each}`,
      title,
    }));
    return html`
      <div class="page-head"><h1>Inputs</h1></div>
      ${tabs("Kinds of inputs", parts, `/inputs/${name}`)} ${TABS[name].view(app)}
    `;
  },
  dialogs: (app) => [channelDialog(app), wizard(app), drillDialog(app), codeDialog(app)],
  open,
  close(app) {
    for (const poll of Object.values(polls)) poll.stop();
    closeCalibration(app);
    closeDrill(app);
  },
};
