// The page "Drive". Pads are looked at only while it is shown.

import { teleop } from "./sticks.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { tracks: 20, outputs: 20 },
  view: teleop,
  open: (app) => app.teleop.open(),
  close: (app) => app.teleop.close(),
};
