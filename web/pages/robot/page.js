// The page "Robot": its model as it stands, what is asked of it, and why. The library that draws it
// is fetched only when this page is opened.

import { view } from "./view.js";

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { outputs: 20, head: 20, arms: 20, tracks: 20 },
  view,
};
