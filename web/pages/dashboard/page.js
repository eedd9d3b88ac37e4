// The page "Dashboard": problems, nodes, inputs, outputs, history and activity of the robot.

import { html } from "/vendor/lit-html/lit-html.js";
import { activity } from "./activity.js";
import { addresses, serverNetwork } from "./addresses.js";
import { facePort } from "./face-port.js";
import { figure } from "./figure.js";
import { firstSteps, firstStepsCard } from "./first-steps.js";
import { inputs } from "./inputs.js";
import { nodes } from "./nodes.js";
import { outputs } from "./outputs.js";
import { controlDialog, presetDialog, quickActions } from "./quick-controls.js";
import { attention, sentence } from "./summary.js";
import { history, trends } from "./trends.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store">} App */

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0, inputs: 20, outputs: 20, head: 20, tracks: 20, log: 0 },
  open(app) {
    firstSteps.open();
    facePort.open();
    serverNetwork.open();
    history.open(app);
  },
  close: () => history.close(),
  view: (app) => html`
    <div class="page-head">
      <div>
        <h1>Dashboard</h1>
        <p class="quiet"><span data-sentence>${sentence(app)}</span> ${addresses(app)}</p>
      </div>
      ${quickActions(app)}
    </div>
    <div class="dashboard">
      ${app.store.data.nodes ? columns(app) : html`<p class="quiet" role="status">Loading…</p>`}
    </div>
  `,
  dialogs: (app) => [presetDialog(app), controlDialog(app)],
};

/**
 * Draw all cards at once; problems are on top and would push the others down if they came later.
 * @param {App} app
 */
function columns(app) {
  return html`
    ${attention(app)} ${firstStepsCard(app)}
    <div class="main-column">${nodes(app)} ${trends(app)} ${outputs(app)} ${activity(app)}</div>
    <div class="side-column">${figure(app)} ${inputs(app)}</div>
  `;
}
