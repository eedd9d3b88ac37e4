// The page Parts: the list (/parts), one part (/parts/part/<role>/<name>), a new one (/parts/add),
// the wiring sheet, the robot as a file, templates and versions.

import { addView } from "./add.js";
import { figureView, refreshFigure } from "./figure.js";
import { fileView } from "./file.js";
import { listView } from "./list.js";
import { partView } from "./part.js";
import { state } from "./state.js";
import { templatesView } from "./templates.js";
import { release } from "./try.js";
import { versionsView } from "./versions.js";
import { wiringView } from "./wiring.js";

/** @typedef {import("../../context.js").App} App */

const ROLE_RATE_HZ = 20;
const OUTPUTS_RATE_HZ = 10;
const REPORTING = ["head", "arms", "tracks", "parts"]; // roles with a topic of their own

/** @type {Record<string, (app: App, rest: string) => unknown>} */
const VIEWS = {
  "": listView,
  add: addView,
  figure: figureView,
  file: fileView,
  part: (app, rest) => {
    const [, target = "", name = ""] = rest.split("/");
    return partView(app, target, name);
  },
  templates: templatesView,
  versions: versionsView,
  wiring: wiringView,
};

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: (rest) => {
    const [what, target = ""] = rest.split("/");
    const role = target.split(".")[0];
    if (what !== "part") return { nodes: 0 };
    const own = REPORTING.includes(role) ? { [role]: ROLE_RATE_HZ } : {};
    return { nodes: 0, outputs: OUTPUTS_RATE_HZ, ...own };
  },
  view: (app, rest) => (VIEWS[rest.split("/")[0]] ?? listView)(app, rest),
  open(app) {
    release();
    state.applied = state.isBusy || state.keepsResult() ? state.applied : null;
    void state.load(app);
  },
  linked(app) {
    refreshFigure();
    state.linked(app);
  },
  close: release,
};
