// Says why one output must not be moved by a held button now. No drawing, no requests.

import { sourceName } from "../format.js";
import { mayOperate } from "../levels.js";
import { commanded } from "../robot/joints.js";
import { isReporting } from "../robot/nodes.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "store">} App */

const CLIENT = "websocket:";

/**
 * Return why this output must not be moved now; empty: it may.
 * @param {App} app
 * @param {{target: string, field: string}} joint
 */
export function whyNotMoved(app, { target, field }) {
  if (app.api.state !== "open" || app.api.isSilent(performance.now()))
    return "No connection to the robot.";
  if (app.store.data.system?.estop?.active)
    return "Emergency stop: nothing moves until it is cleared.";
  if (!mayOperate(app)) return "View-only account. Moving joints needs the operator role.";
  if (Object.values(app.dialogs).some(Boolean)) return "A dialog is open.";
  if (!isReporting(app, target, performance.now()))
    return "The role has timed out, so the joint's position is unknown.";
  const output = commanded({ target, field }, app.store.data);
  const isForeign =
    output?.policy === "live" && output.source !== `${CLIENT}${app.api.session.client_id}`;
  if (!isForeign) return "";
  const source = sourceName(output.source);
  return `${source} drives this joint. Release that input first, or turn its route off.`;
}
