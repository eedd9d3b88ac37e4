// What a node is called, how it is, and what may be done with it. Pure.

import { roleName, words } from "../format.js";
import { STALE_MS } from "../store.js";

/** @typedef {import("../types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../context.js").With<"store">} App */

const STATES = {
  active: ["good", "Active"],
  offline: ["bad", "Offline"],
  unadopted: ["new", "No role yet"],
  adopting: ["busy", "Adopting"],
  boot: ["busy", "Starting"],
  updating: ["busy", "Updating"],
};
const ROLES = ["head", "arms", "tracks", "console"];

/** Kind and text of its chip. @param {NodeInfo} node @returns {[string, string]} */
export function nodeState(node) {
  if (node.is_ignored) return ["idle", "Ignored"];
  const found = STATES[node.state] ?? ["idle", words(node.state)];
  return /** @type {[string, string]} */ (found);
}

/**
 * All that it holds: one, or several on newer releases.
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

/** As people named it, where that says more than its title. @param {NodeInfo} node */
export function givenName(node) {
  return node.display_name === nodeTitle(node) ? "" : node.display_name;
}

/** "arms.left" @param {{role: string, instance: string}} held */
export const targetOf = ({ role, instance }) => (instance ? `${role}.${instance}` : role);

/**
 * Whether a role tells where it is, now: both arms share a topic, and one of them may be silent.
 * @param {App} app @param {string} target @param {number} now
 */
export function isHeard(app, target, now) {
  const [role, instance = ""] = target.split(".");
  if (!app.store.isFresh(role, now)) return false;
  const arms = app.store.data.arms;
  const arm = { left: arms?.left, right: arms?.right }[instance];
  return role !== "arms" || (arm?.age_ms ?? Infinity) < STALE_MS;
}

/**
 * Why nothing moves where the role of a target is held by nobody, or by a node that is away, and
 * where to go.
 * @param {App & import("../../context.js").With<"now">} app
 * @param {string} target
 * @returns {{text: string, href: string} | null}
 */
export function absence(app, target) {
  const { roles = [], nodes = [] } = app.store.data.nodes ?? {};
  const role = roles.find((each) => targetOf(each) === target);
  if (!role || isHeard(app, target, app.now)) return null; // it works without the registry, too
  const name = roleName(role.role, role.instance);
  if (!role.node_id) return { text: `No node is the ${name.toLowerCase()} yet`, href: "#/nodes" };
  const holder = nodes.find((node) => node.node_id === role.node_id);
  if (holder?.state !== "offline") return null;
  return { text: `${name} is offline`, href: `#/nodes/${encodeURIComponent(role.node_id)}` };
}

/** It may be adopted now. @param {NodeInfo} node */
export const isFree = (node) => node.state === "unadopted" && !node.not_offered;

/** What is said under it: what is wrong, or what it waits for. @param {NodeInfo} node */
export function nodeNote(node) {
  if (node.reason) return node.reason;
  if (node.not_offered && node.state !== "offline") return `Not offered: ${node.not_offered}`;
  if (node.state === "active" && node.role_restarts > 0) {
    const times = node.role_restarts === 1 ? "time" : "times";
    return `Its role was started again ${node.role_restarts} ${times}.`;
  }
  return isFree(node) ? "Waiting for a role." : "";
}

/** Those that need a person first, then in the order of the roles. @param {NodeInfo[]} list */
export function inOrder(list) {
  /** @param {NodeInfo} node */
  const key = (node) => {
    const first = rolesOf(node)[0];
    const place = first ? ROLES.indexOf(first.role) : 9;
    return `${first ? 1 : 0}${place}${first?.instance ?? ""}${node.node_id}`;
  };
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** How its update stands. @param {App} app @param {string} nodeId */
export function machineOf(app, nodeId) {
  const list = app.store.data.firmware?.machines ?? [];
  return list.find((machine) => machine.node_id === nodeId) ?? null;
}
