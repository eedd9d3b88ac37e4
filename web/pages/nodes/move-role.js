// Moves a role from one node to another: the holder is reset, then the other node is adopted.

import { html } from "/vendor/lit-html/lit-html.js";
import { roleName } from "../../lib/format.js";
import { nodeTitle, rolesOf } from "../../lib/robot/nodes.js";
import { askConfirmation } from "../../parts/confirm.js";
import { adopt } from "./adopt-progress.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../lib/types.js").RoleChoice} Choice */

/**
 * @param {App} app
 * @param {import("./watch.js").NodeWatch} watch of the node that gets the role
 * @param {import("./adopt-progress.js").Adoption} adoption
 * @param {NodeInfo} holder
 * @param {Choice} choice
 */
export function askMove(app, watch, adoption, holder, choice) {
  const { role, instance } = choice;
  const name = roleName(role, instance).toLowerCase();
  const isOnlyRole = rolesOf(holder).length < 2;
  const params = { node_id: holder.node_id, ...(isOnlyRole ? {} : { role, instance }) };
  askConfirmation(app, {
    title: `Move the role ${name} to ${watch.id}?`,
    text: html`
      <code>${holder.node_id}</code> (${nodeTitle(holder)}) makes its outputs safe and
      ${isOnlyRole ? "is left without a role" : "keeps its other roles"}. Then
      <code>${watch.id}</code> gets the role. Its servos, motors and sensors must be connected
      there: the wiring does not move by itself.
    `,
    verb: "Move the role",
    doing: "Moving…",
    said: `${holder.node_id} has released the role ${name}.`,
    isDanger: true,
    work: async () => {
      await app.api.request("management", "reset_node", params);
      adoption.choice = { role, instance };
      void adopt(app, watch, adoption); // its progress is shown on the page
    },
  });
}
