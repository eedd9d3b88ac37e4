// The page "Firmware": releases and their roll-out to all machines.

import { firmwareDialog } from "./dialogs.js";
import { firmware } from "./firmware.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = { topics: { nodes: 0 }, view: firmware, dialogs: firmwareDialog };
