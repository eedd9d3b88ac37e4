// The page "Nodes": all of them (#/nodes), one (#/nodes/<id>), its adoption (#/nodes/<id>/adopt).

import { Adoption, adoptPage } from "./adopt.js";
import { detailsPage } from "./details.js";
import { nodeDialogs } from "./dialogs.js";
import { listPage } from "./list.js";
import { NodeWatch } from "./watch.js";

const watch = new NodeWatch();
const adoption = new Adoption();

/** @param {string} rest "sim_head/adopt" */
function place(rest) {
  const [id = "", part = ""] = rest.split("/");
  return { id, isAdopting: part === "adopt" };
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view(app, rest) {
    const { id, isAdopting } = place(rest);
    if (!id) return listPage(app);
    return isAdopting ? adoptPage(app, watch, adoption) : detailsPage(app, watch);
  },
  dialogs: (app) => nodeDialogs(app),
  open(app, rest) {
    const { id, isAdopting } = place(rest);
    if (isAdopting) adoption.begin(id);
    if (id) watch.start(app, id, isAdopting);
    else watch.stop();
  },
  close: () => watch.stop(),
};
