// The dashboard: what the robot is, what it hears, what it does.

import { html } from "/vendor/lit-html/lit-html.js";
import { activity } from "./activity.js";
import { adoptDialog, resetDialog } from "./adopt.js";
import { drivePad } from "./drive.js";
import { figure } from "./figure.js";
import { inputs } from "./inputs.js";
import { nodes } from "./nodes.js";
import { outputs } from "./outputs.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0, inputs: 20, outputs: 20, head: 20, tracks: 20, log: 0 },
  view: (app) => html`
    <h1 class="hidden">Dashboard</h1>
    <div class="columns">
      <div class="column wide">${nodes(app)} ${outputs(app)} ${activity(app)}</div>
      <div class="column">${figure(app)} ${inputs(app)} ${drivePad(app)}</div>
    </div>
  `,
  dialogs: (app) => [adoptDialog(app), resetDialog(app)],
};
