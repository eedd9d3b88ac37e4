// The page "Nodes": the list (/nodes), one node (/nodes/<id>), its adoption (/nodes/<id>/adopt)
// and the calibration of its joints (/nodes/<id>/calibrate/<joint>).

import { adoptPage } from "./adopt.js";
import { Adoption } from "./adopt-progress.js";
import { calibratePage } from "./calibrate/page-view.js";
import { Calibration } from "./calibrate/state.js";
import { detailsPage } from "./details.js";
import { nodeDialogs } from "./dialogs.js";
import { listPage } from "./list.js";
import { Planner } from "./planner.js";
import { NodeWatch } from "./watch.js";

const watch = new NodeWatch();
const adoption = new Adoption();
const calibration = new Calibration();
const planner = new Planner();

/** @param {string} rest "sim_head/adopt", "sim_head/calibrate/head.pan" */
function parse(rest) {
  const [id = "", part = "", joint = ""] = rest.split("/");
  return { id, part, joint };
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view(app, rest) {
    const { id, part } = parse(rest);
    if (!id) return listPage(app);
    if (part === "calibrate") return calibratePage(app, calibration);
    return part === "adopt" ? adoptPage(app, watch, adoption) : detailsPage(app, watch, planner);
  },
  dialogs: (app) => nodeDialogs(app),
  open(app, rest) {
    const { id, part, joint } = parse(rest);
    if (part === "adopt") adoption.begin(id);
    if (part === "calibrate") calibration.start(app, id, joint);
    else calibration.stop();
    if (id && part !== "calibrate") watch.start(app, id, part === "adopt");
    else watch.stop();
    if (id && !part) void planner.load(app);
  },
  linked(app, rest) {
    const { id, part } = parse(rest);
    if (id && !part) void planner.load(app);
  },
  close() {
    watch.stop();
    calibration.stop();
  },
};
