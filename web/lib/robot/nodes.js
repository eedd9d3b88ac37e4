// Titles, state chips, roles and notes of nodes. Pure.

import { lately, roleName, words } from "../format.js";
import { STALE_MS } from "../store.js";
import { ROLES } from "./roles.js";

/** @typedef {import("../types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../context.js").With<"store">} App */

const STATES = {
  active: ["good", "Active"],
  offline: ["bad", "Offline"], // its heartbeat has timed out
  unadopted: ["new", "No role"],
  adopting: ["busy", "Adopting"],
  boot: ["busy", "Starting"],
  updating: ["busy", "Updating"],
};

/** Return kind and text of the state chip. @param {NodeInfo} node @returns {[string, string]} */
export function nodeState(node) {
  if (node.is_ignored) return ["idle", "Ignored"];
  const found = STATES[node.state] ?? ["idle", words(node.state)];
  return /** @type {[string, string]} */ (found);
}

/**
 * Return all roles of a node; releases before several roles report one.
 * @param {NodeInfo | null | undefined} node
 */
export function rolesOf(node) {
  if (!node) return [];
  if (node.roles?.length) return node.roles;
  return node.role ? [{ role: node.role, instance: node.instance }] : [];
}

/** "Head", "Left arm", "Desk", "New node". @param {NodeInfo} node */
export function nodeTitle(node) {
  const held = rolesOf(node).map(({ role, instance }) => roleName(role, instance));
  return held.join(" and ") || node.display_name || "New node";
}

/** Return the display name if it differs from the title. @param {NodeInfo} node */
export function givenName(node) {
  return node.display_name === nodeTitle(node) ? "" : node.display_name;
}

/** "arms.left" @param {{role: string, instance: string}} held */
export const targetOf = ({ role, instance }) => (instance ? `${role}.${instance}` : role);

/** Roles whose state is in the topic "parts". */
const BY_NAME = ["parts", "leader"];

/**
 * Whether a role reports its state now. Both arms share a topic, so their age is checked too.
 * @param {App} app @param {string} target @param {number} now
 */
export function isReporting(app, target, now) {
  const [role, instance = ""] = target.split(".");
  const isByName = BY_NAME.includes(role);
  if (!app.store.isFresh(isByName ? "parts" : role, now)) return false;
  if (isByName) {
    const parts = app.store.data.parts?.targets?.[target];
    return (parts?.age_ms ?? Infinity) < STALE_MS;
  }
  const arms = app.store.data.arms;
  const arm = { left: arms?.left, right: arms?.right }[instance];
  return role !== "arms" || (arm?.age_ms ?? Infinity) < STALE_MS;
}

/**
 * Whether a role runs in this version of its configuration, by its node's last report.
 * @param {App} app @param {string} target @param {string} [version]
 */
export function isRunning(app, target, version) {
  const role = reported(app, target);
  return Boolean(role?.role_alive && role.config_version === version);
}

/**
 * Whether the node of a role runs a release that does not say which text of its configuration runs:
 * its version ends without a digest.
 * @param {App} app @param {string} target
 */
export function isWithoutDigest(app, target) {
  const version = reported(app, target)?.config_version;
  return Boolean(version) && !/[+.][0-9a-f]{8}$/.test(version ?? "");
}

/** @param {App} app @param {string} target */
function reported(app, target) {
  const roles = (app.store.data.nodes?.nodes ?? []).flatMap((node) => node.roles ?? []);
  return roles.find((each) => targetOf(each) === target);
}

/**
 * Return whether outputs are at rest: by the role's last report, which is up to a second old, and
 * by the router, which commands nothing now.
 * @param {App & import("../../context.js").With<"now">} app
 * @param {{outputs_safe: boolean}} reported node or role
 * @param {string[]} targets
 */
export function outputsWord(app, reported, targets) {
  const fields = app.store.isFresh("outputs", app.now) ? app.store.data.outputs?.fields : [];
  const isDriven = (fields ?? []).some((each) => each.winner && targets.includes(each.target));
  return reported.outputs_safe && !isDriven ? "safe" : "live";
}

/**
 * Return why a target does not move because its role has no node or its node is offline, and a link
 * to the remedy.
 * @param {App & import("../../context.js").With<"now">} app
 * @param {string} target
 * @returns {{text: string, href: string} | null}
 */
export function absence(app, target) {
  const { roles = [], nodes = [] } = app.store.data.nodes ?? {};
  const role = roles.find((each) => targetOf(each) === target);
  if (!role || isReporting(app, target, app.now)) return null; // the registry may lag behind
  const name = roleName(role.role, role.instance);
  if (!role.node_id) return { text: `No node has the role ${name.toLowerCase()}`, href: "/nodes" };
  const holder = nodes.find((node) => node.node_id === role.node_id);
  if (holder?.state !== "offline") return null;
  return { text: `${name} is offline`, href: `/nodes/${encodeURIComponent(role.node_id)}` };
}

/** Whether the node can be adopted now. @param {NodeInfo} node */
export const isFree = (node) => node.state === "unadopted" && !node.not_offered;

/** Return the note under a node: its fault, or why it is not offered. @param {NodeInfo} node */
export function nodeNote(node) {
  if (node.reason) return node.reason;
  if (node.not_offered && node.state !== "offline") return `Not offered: ${node.not_offered}`;
  if (node.state === "active" && node.role_restarts > 0) {
    const times = node.role_restarts === 1 ? "time" : "times";
    return `Its role restarted ${node.role_restarts} ${times}.`;
  }
  return "";
}

/**
 * Return the memory of a Pi, which its revision code names, in GB; null for other computers.
 * Bits 20 to 22 of a new-style code (bit 23): 256 MB, doubled by each step; as in the documentation
 * of Raspberry Pi's revision codes.
 * @param {NodeInfo} node
 */
export function memoryOf(node) {
  if (!/^[0-9a-f]{6,8}$/i.test(node.hardware_rev ?? "")) return null;
  const code = Number.parseInt(node.hardware_rev ?? "", 16);
  return (code >> 23) & 1 ? 0.25 * 2 ** ((code >> 20) & 7) : null;
}

/** Return the serial number of a Pi, which its id is made of. @param {NodeInfo} node */
export const serialOf = (node) => /^pi_([0-9a-f]+)$/.exec(node.node_id)?.[1] ?? "";

/** Hardware, memory, address, release and first sight of a node. @param {NodeInfo} node */
export function foundText(node) {
  const memory = memoryOf(node);
  const since = Date.parse(node.first_seen) / 1000;
  const parts = [
    node.hardware_model || "unknown hardware",
    memory ? `${memory} GB` : "",
    node.address,
    node.firmware_version ? `v${node.firmware_version}` : "",
    since ? `found ${lately(since)}` : "",
  ];
  return parts.filter(Boolean).join(" · ");
}

/** Sort nodes without a role first, then by role. @param {NodeInfo[]} list */
export function inOrder(list) {
  /** @param {NodeInfo} node */
  const key = (node) => {
    const first = rolesOf(node)[0];
    const place = first ? ROLES.indexOf(first.role) : 9;
    return `${first ? 1 : 0}${place}${first?.instance ?? ""}${node.node_id}`;
  };
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Return the firmware state of a node. @param {App} app @param {string} nodeId */
export function machineOf(app, nodeId) {
  const list = app.store.data.firmware?.machines ?? [];
  return list.find((machine) => machine.node_id === nodeId) ?? null;
}
