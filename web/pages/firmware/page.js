// The page "Firmware": releases and their roll-out to all machines.

import { firmwareDialog } from "./dialogs.js";
import { firmware } from "./firmware.js";
import { policyDialog } from "./policy-dialog.js";

/** @param {import("./dialogs.js").App} app */
const dialogs = (app) => [firmwareDialog(app), policyDialog(app)];

/** @type {import("../../lib/router.js").PageModule} */
export const page = { topics: { nodes: 0 }, view: firmware, dialogs };
