// Problems that need the user, most severe first, each with a sentence and a link. Pure.

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
 * @typedef {object} Problem
 * @property {"bad" | "warn" | "new"} kind
 * @property {string} text
 * @property {string} href page with the remedy; empty: none
 */

const TIMEOUT_MS = 3000;
const HOT_C = 80;
const FULL_PERCENT = 90;
const ORDER = { bad: 0, warn: 1, new: 2 };

/** @param {Partial<States>} data newest state by topic @returns {Problem[]} */
export function problems(data) {
  const found = [
    ...server(data.system),
    ...stops(data.outputs),
    ...registry(data.nodes),
    ...inputs(data.inputs),
    ...firmware(data.firmware),
  ];
  return found.sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}

/** @param {SystemState | undefined} system @returns {Problem[]} */
function server(system) {
  if (!system) return [];
  const found = (system.problems ?? []).map((text) => problem("bad", text, "/settings"));
  const { router_age_ms: age, cpu_temp: temp, memory_usage: memory } = system;
  if (age === null || age > TIMEOUT_MS) {
    found.push(
      problem("bad", "The router has timed out: nothing can be driven until it returns.", "/logs"),
    );
  }
  if (temp && temp >= HOT_C)
    found.push(
      problem("warn", `The server is at ${Math.round(temp)} °C; above 80 °C it slows down.`, ""),
    );
  if (memory && memory >= FULL_PERCENT)
    found.push(problem("warn", `${Math.round(memory)} % of the server's memory is in use.`, ""));
  return found;
}

/** @param {OutputsState | undefined} outputs @returns {Problem[]} */
function stops(outputs) {
  if (outputs?.stop_switches?.length !== 0) return [];
  const text = "No switch or button stops this robot, only pages and programs do.";
  return [problem("bad", text, "/routes")];
}

/** @param {NodesState | undefined} data @returns {Problem[]} */
function registry(data) {
  if (!data) return [];
  if (data.problem)
    return [problem("bad", `The node registry does not reply: ${data.problem.message}`, "/logs")];
  const found = [];
  for (const node of data.nodes) {
    const href = `/nodes/${encodeURIComponent(node.node_id)}`;
    if (node.is_ignored) continue;
    if (node.state === "offline")
      found.push(problem("bad", `${nodeTitle(node)} is offline.`, href));
    else if (node.reason)
      found.push(problem("warn", `${nodeTitle(node)}: ${nodeNote(node)}`, href));
  }
  return [
    ...found,
    ...waiting(data.nodes.filter((node) => isFree(node) && !node.is_ignored)),
    ...missing(data.roles),
  ];
}

/** @param {NodeInfo[]} free @returns {Problem[]} */
function waiting(free) {
  if (free.length > 1) return [problem("new", `${free.length} nodes wait for adoption.`, "/nodes")];
  return free.map(({ node_id: id }) =>
    problem("new", `${id} waits for adoption.`, `/nodes/${encodeURIComponent(id)}/adopt`),
  );
}

/** @param {RoleChoice[]} roles @returns {Problem[]} */
function missing(roles) {
  const names = roles
    .filter(({ node_id: id }) => !id)
    .map(({ role, instance }) => roleName(role, instance).toLowerCase());
  const last = names.pop();
  if (!last) return [];
  return [
    problem(
      "new",
      `No node has the role ${names.length ? `${names.join(", ")} or ${last}` : last}.`,
      "/nodes",
    ),
  ];
}

/** @param {InputsState | undefined} data @returns {Problem[]} */
function inputs(data) {
  if (data?.rc?.failsafe)
    return [
      problem("warn", "The RC receiver is in failsafe: it receives no transmitter.", "/inputs"),
    ];
  return [];
}

/** @param {FirmwareState | undefined} data @returns {Problem[]} */
function firmware(data) {
  if (data?.plan?.state === "halted")
    return [problem("bad", "The roll-out is halted.", "/firmware")];
  return [];
}

/**
 * @param {"bad" | "warn" | "new"} kind
 * @param {string} text
 * @param {string} href
 * @returns {Problem}
 */
const problem = (kind, text, href) => ({ kind, text, href });
