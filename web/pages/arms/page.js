// The page "Arms": arms of servos on a serial bus with their masters, joints, sequences
// (/arms/sequences) and calibration (/arms/calibrate/<target>).

import { armsOf } from "../../lib/robot/arms.js";
import { calibrateView, endCalibration } from "./calibrate.js";
import { release } from "./joints.js";
import { sequencesView } from "./sequences.js";
import { state } from "./state.js";
import { armsView } from "./view.js";

/** @typedef {import("../../context.js").App} App */

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { outputs: 20, parts: 20, nodes: 0, arms: 20, head: 20 },
  view(app, rest) {
    const [what, target = ""] = rest.split("/");
    if (what === "sequences") return sequencesView(app);
    if (what === "calibrate") return calibrateView(app, target || armsOf(app.robot)[0] || "");
    return armsView(app);
  },
  open(app) {
    release();
    endCalibration();
    state.open(app);
  },
  linked: (app) => state.open(app),
  close() {
    release();
    endCalibration();
    state.close();
  },
};
