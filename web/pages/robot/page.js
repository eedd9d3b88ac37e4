// The page "Robot": the 3D model, measured and commanded, with the reason for each command. The 3D
// library is fetched when the page is opened.

import { view } from "./view.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { outputs: 20, head: 20, arms: 20, tracks: 20, legs: 20, parts: 20 },
  view,
};
