// Describes the firmware update of a machine: state chip, last failure, name. Pure.

import { roleName } from "../format.js";

/** @typedef {import("../types.js").MachineFirmware} MachineFirmware */
/** @typedef {import("../types.js").RolloutPlan} Plan */

/** @type {Partial<Record<MachineFirmware["verdict"], string>>} */
const VERDICTS = { rolled_back: "Rolled back", failed: "Not installed", refused: "Rejected" };

/** Whether a roll-out is running or paused. @param {Plan | null | undefined} plan */
export const isUnderWay = (plan) => plan?.state === "running" || plan?.state === "paused";

/** @param {MachineFirmware} machine */
export const isBusy = (machine) => machine.is_online && machine.state !== "idle";

/**
 * Return kind and text of the state chip.
 * @param {MachineFirmware} machine
 * @param {{step: string} | undefined} step of the roll-out
 * @returns {[string, string]}
 */
export function stateWord(machine, step) {
  if (!machine.is_online) return ["bad", "Offline"];
  if (machine.state === "installing") return ["busy", `Installing ${machine.progress} %`];
  if (machine.state === "restarting") return ["busy", "Restarting"];
  if (machine.state === "verifying") return ["busy", "Verifying"];
  if (step?.step === "waiting") return ["idle", "Queued"];
  const bad = VERDICTS[machine.verdict];
  if (bad) return ["bad", bad];
  return machine.verdict === "healthy" ? ["good", "Healthy"] : ["good", "Ready"];
}

/**
 * Describe the last update if it failed; else return "".
 * @param {MachineFirmware} machine
 */
export function lastTry(machine) {
  if (isBusy(machine)) return "";
  /** @type {Partial<Record<MachineFirmware["verdict"], string>>} */
  const words = {
    rolled_back: "was rolled back",
    failed: "was not installed",
    refused: "was rejected",
  };
  const what = words[machine.verdict];
  if (!what) return "";
  const release = machine.target_version ? `Release ${machine.target_version}` : "The release";
  const tries = machine.attempt > 1 ? ` after ${machine.attempt} tries` : "";
  return `${release} ${what}${tries}: ${machine.reason || "no reason reported"}`;
}

/**
 * Describe why no update can start now, for good or for the moment; else return "".
 * @param {MachineFirmware} machine
 */
export function blockedBy(machine) {
  const reason = machine.blocked_by;
  if (!reason) return "";
  const isOff = reason.startsWith("updates are off");
  return isOff ? `U${reason.slice(1)}` : `Update blocked: ${reason}`;
}

/**
 * Return the machine's name for display.
 * @param {MachineFirmware} machine
 * @param {import("../types.js").NodeInfo[]} [nodes] the registry's
 */
export function nameOf(machine, nodes = []) {
  if (machine.is_server) return "Server";
  const node = nodes.find((each) => each.node_id === machine.node_id);
  if (!node) return machine.node_id;
  return node.display_name || (node.role ? roleName(node.role, node.instance) : "New node");
}

/** Format a number of bytes. @param {number} count */
export function bytes(count) {
  if (count < 1e6) return `${Math.round(count / 1e3)} kB`;
  return `${(count / 1e6).toFixed(count < 1e8 ? 1 : 0)} MB`;
}
