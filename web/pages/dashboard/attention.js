// What needs a person, the worst first: one sentence each, and where to go. Pure.

import { nodeNote, nodeTitle, isFree } from "../../lib/nodes.js";
import { roleName } from "../../lib/format.js";

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

/** @param {Record<string, any>} data newest state by topic @returns {Matter[]} */
export function matters(data) {
  const found = [...server(data.system), ...registry(data.nodes), ...inputs(data.inputs), ...firmware(data.firmware)];
  return found.sort((a, b) => ORDER[a.kind] - ORDER[b.kind]);
}

/** @param {any} system @returns {Matter[]} */
function server(system) {
  if (!system) return [];
  const found = [];
  const { router_age_ms: age, cpu_temp: temp, memory_usage: memory } = system;
  if (age === null || age > SILENT_MS) {
    found.push(matter("bad", "The router is silent: nothing can be driven until it is back.", "#/logs"));
  }
  if (temp >= HOT_C) found.push(matter("warn", `The server is ${Math.round(temp)} °C hot; above 80 °C it slows down.`, ""));
  if (memory >= FULL_PERCENT) found.push(matter("warn", `${Math.round(memory)} % of the server's memory is in use.`, ""));
  return found;
}

/** @param {any} data @returns {Matter[]} */
function registry(data) {
  if (!data) return [];
  if (data.problem) return [matter("bad", `The node registry does not answer: ${data.problem.message}`, "#/logs")];
  const found = [];
  for (const node of data.nodes) {
    const href = `#/nodes/${encodeURIComponent(node.node_id)}`;
    if (node.is_ignored) continue;
    if (node.state === "offline") found.push(matter("bad", `${nodeTitle(node)} is offline.`, href));
    else if (isFree(node)) found.push(matter("new", `${node.node_id} waits to be adopted.`, href));
    else if (node.reason) found.push(matter("warn", `${nodeTitle(node)}: ${nodeNote(node)}`, href));
  }
  for (const role of data.roles) {
    if (!role.node_id) found.push(matter("new", `No node is the ${roleName(role.role, role.instance).toLowerCase()} yet.`, "#/nodes"));
  }
  return found;
}

/** @param {any} data @returns {Matter[]} */
function inputs(data) {
  if (data?.rc?.failsafe) return [matter("warn", "The RC receiver is in failsafe: it hears no transmitter.", "#/inputs")];
  return [];
}

/** @param {any} data @returns {Matter[]} */
function firmware(data) {
  if (data?.plan?.state === "halted") return [matter("bad", "The roll-out was halted.", "#/firmware")];
  return [];
}

/** @param {"bad" | "warn" | "new"} kind @param {string} text @param {string} href @returns {Matter} */
const matter = (kind, text, href) => ({ kind, text, href });
