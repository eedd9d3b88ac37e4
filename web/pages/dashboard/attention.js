// What needs a person, the worst first: one sentence each, and where to go. Pure.

import { roleName } from "../../lib/format.js";
import { isFree, nodeNote, nodeTitle } from "../../lib/robot/nodes.js";

/** @typedef {import("../../lib/types.js").FirmwareState} FirmwareState */
/** @typedef {import("../../lib/types.js").InputsState} InputsState */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../lib/types.js").NodesState} NodesState */
/** @typedef {import("../../lib/types.js").OutputsState} OutputsState */
/** @typedef {import("../../lib/types.js").RoleChoice} RoleChoice */
/** @typedef {import("../../lib/types.js").States} States */
/** @typedef {import("../../lib/types.js").SystemState} SystemState */

/**
 * @typedef {object} Matter
 * @property {"bad" | "warn" | "new"} kind
 * @property {string} text
 * @property {string} href page where something can be done about it; empty: none
 */

const SILENT_MS = 3000;
const HOT_C = 80;
const FULL_PERCENT = 90;
const ORDER = { bad: 0, warn: 1, new: 2 };

/** @param {Partial<States>} data newest state by topic @returns {Matter[]} */
export function matters(data) {
  const found = [
    ...server(data.system),
    ...stops(data.outputs),
    ...registry(data.nodes),
    ...inputs(data.inputs),
    ...firmware(data.firmware),
  ];
  return found.sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}

/** @param {SystemState | undefined} system @returns {Matter[]} */
function server(system) {
  if (!system) return [];
  const found = [];
  const { router_age_ms: age, cpu_temp: temp, memory_usage: memory } = system;
  if (age === null || age > SILENT_MS) {
    found.push(
      matter("bad", "The router is silent: nothing can be driven until it is back.", "#/logs"),
    );
  }
  if (temp && temp >= HOT_C)
    found.push(
      matter("warn", `The server is ${Math.round(temp)} °C hot; above 80 °C it slows down.`, ""),
    );
  if (memory && memory >= FULL_PERCENT)
    found.push(matter("warn", `${Math.round(memory)} % of the server's memory is in use.`, ""));
  return found;
}

/** @param {OutputsState | undefined} outputs @returns {Matter[]} */
function stops(outputs) {
  if (outputs?.stop_switches?.length !== 0) return [];
  const text = "No switch and no button stops this robot: only pages and programs do.";
  return [matter("bad", text, "#/routes")];
}

/** @param {NodesState | undefined} data @returns {Matter[]} */
function registry(data) {
  if (!data) return [];
  if (data.problem)
    return [matter("bad", `The node registry does not answer: ${data.problem.message}`, "#/logs")];
  const found = [];
  for (const node of data.nodes) {
    const href = `#/nodes/${encodeURIComponent(node.node_id)}`;
    if (node.is_ignored) continue;
    if (node.state === "offline") found.push(matter("bad", `${nodeTitle(node)} is offline.`, href));
    else if (node.reason) found.push(matter("warn", `${nodeTitle(node)}: ${nodeNote(node)}`, href));
  }
  return [
    ...found,
    ...waiting(data.nodes.filter((node) => isFree(node) && !node.is_ignored)),
    ...missing(data.roles),
  ];
}

/** @param {NodeInfo[]} free @returns {Matter[]} */
function waiting(free) {
  if (free.length > 1)
    return [matter("new", `${free.length} nodes wait to be adopted.`, "#/nodes")];
  return free.map(({ node_id: id }) =>
    matter("new", `${id} waits to be adopted.`, `#/nodes/${encodeURIComponent(id)}/adopt`),
  );
}

/** @param {RoleChoice[]} roles @returns {Matter[]} */
function missing(roles) {
  const names = roles
    .filter(({ node_id: id }) => !id)
    .map(({ role, instance }) => roleName(role, instance).toLowerCase());
  const last = names.pop();
  if (!last) return [];
  return [
    matter(
      "new",
      `No node is the ${names.length ? `${names.join(", ")} or ${last}` : last} yet.`,
      "#/nodes",
    ),
  ];
}

/** @param {InputsState | undefined} data @returns {Matter[]} */
function inputs(data) {
  if (data?.rc?.failsafe)
    return [matter("warn", "The RC receiver is in failsafe: it hears no transmitter.", "#/inputs")];
  return [];
}

/** @param {FirmwareState | undefined} data @returns {Matter[]} */
function firmware(data) {
  if (data?.plan?.state === "halted")
    return [matter("bad", "The roll-out was halted.", "#/firmware")];
  return [];
}

/**
 * @param {"bad" | "warn" | "new"} kind
 * @param {string} text
 * @param {string} href
 * @returns {Matter}
 */
const matter = (kind, text, href) => ({ kind, text, href });
