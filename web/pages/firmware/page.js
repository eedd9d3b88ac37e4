// The page "Firmware": releases, and how they come to all machines.

import { firmware } from "./firmware.js";
import { firmwareDialog } from "./firmwaredialogs.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = { topics: { nodes: 0 }, view: firmware, dialogs: firmwareDialog };
