// The page of one node: state of its roles, header, devices, load, facts, release, activity,
// actions.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { duration, lately, roleName } from "../../lib/format.js";
import { isAdmin, mayOperate } from "../../lib/levels.js";
import { blockedBy, lastTry, stateWord } from "../../lib/robot/machine-updates.js";
import {
  givenName,
  isFree,
  machineOf,
  memoryOf,
  nodeNote,
  nodeState,
  nodeTitle,
  outputsWord,
  rolesOf,
  serialOf,
  targetOf,
} from "../../lib/robot/nodes.js";
import { fold } from "../../parts/fold.js";
import {
  askFactoryReset,
  askName,
  askReboot,
  askReplacement,
  askReset,
  askRoleReset,
  askUpdate,
  setIgnored,
} from "./dialogs.js";
import { liveCard } from "./live.js";
import { loadCard } from "./load.js";
import { header, usesOf } from "./pins.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./planner.js").Planner} Planner */
/** @typedef {import("./watch.js").NodeWatch} NodeWatch */

/** @param {App} app @param {NodeWatch} watch @param {Planner} planner */
export function detailsPage(app, watch, planner) {
  const node = watch.node(app);
  if (!node)
    return app.store.data.nodes
      ? unknown(watch.id)
      : html`<p class="quiet" role="status">Loading…</p>`;
  const roles = rolesOf(node);
  return html`
    ${head(app, node)}
    <div
      class="node-page"
      ?data-stale=${!app.store.isFresh("nodes", app.now)}
      data-node=${node.node_id}
    >
      <div>
        ${isFree(node) ? waiting(node) : nothing} ${severalRoles(app, node)}
        ${roles.map((held) => liveCard(app, held))} ${pinsCard(app, watch, node, planner)}
        ${peripherals(app, watch, node, (chip) => planner.use(app, node, chip))}
      </div>
      <div>
        ${node.state === "offline" ? nothing : loadCard(node, watch.history)} ${facts(app, node)}
        ${update(app, node)}
        ${activity(watch)}
      </div>
    </div>
  `;
}

/** @param {string} id */
export const unknown = (id) => html`
  <div class="page-head"><h1>Nodes</h1></div>
  <div class="card empty">
    <h2>Node ${id} not found</h2>
    <p>It has been forgotten, or the address is wrong. <a href="/nodes">All nodes</a></p>
  </div>
`;

/** @param {App} app @param {NodeInfo} node */
function head(app, node) {
  const [kind, label] = nodeState(node);
  const note = nodeNote(node);
  const isBad = Boolean(node.reason);
  return html`
    <p class="way-back"><a href="/nodes">All nodes</a></p>
    <div class="page-head">
      <div>
        <h1>
          ${nodeTitle(node)}
          <span class="chip ${kind}" data-state><i class="dot"></i>${label}</span>
        </h1>
        <p class="quiet">
          ${givenName(node) ? `${givenName(node)} · ` : ""}<code>${node.node_id}</code>
        </p>
      </div>
      ${actions(app, node)}
    </div>
    ${
      note && !isFree(node)
        ? html`<p class="node-why ${isBad ? "is-bad" : "quiet"}">${note}</p>`
        : nothing
    }
  `;
}

/** @param {App} app @param {NodeInfo} node */
function actions(app, node) {
  const has = rolesOf(node).length > 0;
  const isAway = node.state === "offline";
  const may = mayOperate(app);
  const admin = isAdmin(app);
  const why = "View-only account: this needs the operator role.";
  return html`
    <div class="toolbar" data-actions title=${may ? nothing : why}>
      ${button("rename", "Rename…", may, () => askName(app, node))}
      ${
        isAway && has
          ? button("replace", "Replace…", may, () => askReplacement(app, node))
          : nothing
      }
      ${isAway ? nothing : button("update", "Update…", admin, () => askUpdate(app, node))}
      ${isAway ? nothing : button("reboot", "Restart…", admin, () => askReboot(app, node))}
      ${
        isAway
          ? nothing
          : html`<a class="button small" data-do="selftest" href="/self-test/${node.node_id}">
            Self-test</a>`
      }
      ${
        has
          ? html`
            <a
              class="button small"
              data-do="calibrate"
              href="/nodes/${node.node_id}/calibrate"
            >Calibrate…</a>
          `
          : nothing
      }
      ${
        has && !isAway
          ? html`<a class="button small" data-do="add" href="/nodes/${node.node_id}/adopt">Add a
            role…</a>`
          : nothing
      }
      ${
        has
          ? nothing
          : button("ignore", node.is_ignored ? "Stop ignoring" : "Ignore", may, () =>
              setIgnored(app, node, !node.is_ignored),
            )
      }
      ${
        has || isAway
          ? button("reset", isAway ? "Forget…" : "Reset…", admin, () => askReset(app, node))
          : nothing
      }
      ${
        isAway
          ? nothing
          : button("factory", "Factory reset…", admin, () => askFactoryReset(app, node))
      }
    </div>
  `;
}

/** @param {string} name @param {string} text @param {boolean} isAllowed @param {() => void} act */
const button = (name, text, isAllowed, act) => html`
  <button class="button small" type="button" data-do=${name} ?disabled=${!isAllowed} @click=${act}>
    ${text}
  </button>
`;

/** @param {NodeInfo} node */
const waiting = (node) => html`
  <section class="card is-free node-waiting">
    <div>
      <h2>This node has no role</h2>
      <p class="quiet">Check its pins and devices, then choose a role.</p>
    </div>
    <a class="button primary" data-adopt href="/nodes/${node.node_id}/adopt">Adopt…</a>
  </section>
`;

/**
 * List several roles of a node, each with its state and a button to remove it.
 * @param {App} app
 * @param {NodeInfo} node
 */
function severalRoles(app, node) {
  const roles = node.roles ?? [];
  if (roles.length < 2) return nothing;
  return html`
    <section class="card" aria-labelledby="roles-title">
      <h2 id="roles-title">Roles</h2>
      <ul class="node-roles">
        ${roles.map((held) => {
          const [kind, label] = nodeState({ ...node, ...held });
          return html`<li data-role=${targetOf(held)}>
            <b>${roleName(held.role, held.instance)}</b>
            <span class="chip ${kind}"><i class="dot"></i>${label}</span>
            <span class="quiet">${
              held.reason || `outputs ${outputsWord(app, held, [targetOf(held)])}`
            }</span>
            ${button("take", "Remove…", isAdmin(app), () => askRoleReset(app, node, held))}
          </li>`;
        })}
      </ul>
    </section>
  `;
}

/** @param {App} app @param {NodeWatch} watch @param {NodeInfo} node @param {Planner} planner */
function pinsCard(app, watch, node, planner) {
  const uses = planner.usesOf(node) ?? usesOf(app, rolesOf(node).map(targetOf));
  const pins = watch.status?.pins;
  return html`
    <section class="card" aria-labelledby="pins-title" ?data-stale=${Boolean(watch.problem)}>
      ${fold(app, "pins-title", "Header", pinsText(pins), () => [
        pins ? html`<p class="quiet"><a href="/parts/wiring">Wiring sheet</a></p>` : nothing,
        watch.problem
          ? html`<p class="refusal">Reading the pins failed: ${watch.problem}</p>`
          : nothing,
        pins
          ? header(app, watch, pins, uses, false, (pin) => planner.tool(app, node, pin))
          : html`<p class="quiet">${noPins(node, watch)}</p>`,
      ])}
    </section>
  `;
}

/** @param {{in_use: boolean}[] | undefined} pins */
export function pinsText(pins) {
  const used = pins?.filter((pin) => pin.in_use).length ?? 0;
  return pins ? `${used} ${used === 1 ? "pin" : "pins"} in use` : "";
}

/** @param {NodeInfo} node @param {NodeWatch} watch */
export function noPins(node, watch) {
  if (node.state === "offline") return "Pins are shown when the node is online again.";
  return watch.problem ? "Next attempt within 2 s." : "Loading…";
}

/**
 * @param {App} app @param {NodeWatch} watch @param {NodeInfo} node
 * @param {(device: import("../../lib/types.js").Peripheral) => unknown} [use] its link to become a
 * part
 */
export function peripherals(app, watch, node, use) {
  const list = watch.status?.peripherals?.length
    ? watch.status.peripherals
    : (node.peripherals ?? []);
  return html`
    <section class="card" aria-labelledby="devices-title">
      ${fold(app, "devices-title", "Devices", `${list.length} found`, () =>
        list.length
          ? html`<ul class="devices">
            ${list.map(
              (device) => html`<li>
                <span class="quiet">${device.type.toUpperCase()}</span>
                <b>${device.description}</b>
                <code>${device.address}</code>
                ${
                  isSilent(device)
                    ? html`<span class="chip bad"><i class="dot"></i>No response</span>`
                    : nothing
                }
                ${use?.(device) ?? nothing}
              </li>`,
            )}
          </ul>`
          : html`<p class="quiet">
            ${
              rolesOf(node).length
                ? "The role uses the buses; they are not scanned while it runs."
                : "No devices found on the buses."
            }
          </p>`,
      )}
    </section>
  `;
}

/**
 * Whether a device does not respond; on SPI none does, and that is no fault.
 * @param {{type: string, responsive: boolean}} device
 */
const isSilent = ({ type, responsive }) => !responsive && type !== "spi";

/** @param {App} app @param {NodeInfo} node */
function facts(app, node) {
  const memory = memoryOf(node);
  const rows = [
    [
      "Role",
      rolesOf(node)
        .map((held) => targetOf(held))
        .join(", ") || "none",
    ],
    ["Topics", node.topic_prefix],
    ["ROS 2", node.state === "offline" ? "no heartbeat" : "connected"],
    ["Outputs", outputsWord(app, node, rolesOf(node).map(targetOf))],
    ["Settings", node.config_version && `version ${node.config_version}`],
    ["Release", node.firmware_version && `v${node.firmware_version}`],
    ["Uptime", node.uptime_s && node.state !== "offline" ? duration(node.uptime_s) : ""],
    [
      "Last seen",
      node.state === "offline" && node.seen_age_s ? `${duration(node.seen_age_s)} ago` : "",
    ],
    ["Role restarts", String(node.role_restarts)],
    ["Hardware", [node.hardware_model, node.hardware_rev].filter(Boolean).join(" · ")],
    ["Memory", memory ? `${memory} GB` : ""],
    ["Serial number", serialOf(node)],
    ["Address", node.address],
    ["MAC", node.mac_address],
    ["First seen", node.first_seen ? node.first_seen.slice(0, 16).replace("T", " ") : ""],
    ["Server", node.server],
  ];
  return html`
    <section class="card" aria-labelledby="facts-title">
      ${fold(
        app,
        "facts-title",
        "Details",
        factsText(node),
        () => html`<dl class="facts-list">
        ${rows.map(([name, text]) => (text ? html`<dt>${name}</dt><dd>${text}</dd>` : nothing))}
        ${
          node.code
            ? html`
              <dt>Code</dt><dd><b class="code">${node.code}</b> <span class="quiet">same as in the
              node's log</span></dd>
            `
            : nothing
        }
      </dl>`,
        { isRepeated: true },
      )}
    </section>
  `;
}

/** @param {NodeInfo} node */
const factsText = (node) => [node.hardware_model, node.address].filter(Boolean).join(" · ");

/** @param {App} app @param {NodeInfo} node */
function update(app, node) {
  const machine = machineOf(app, node.node_id);
  if (!machine) return nothing;
  const [kind, text] = stateWord(machine, undefined);
  const failed = lastTry(machine);
  return html`
    <section class="card" aria-labelledby="update-title">
      <header>
        <h2 id="update-title">Release</h2>
        <span class="chip ${kind}" data-update><i class="dot"></i>${text}</span>
      </header>
      <p>
        ${machine.version || "unknown"}${
          machine.slot ? html` <span class="quiet">in slot ${machine.slot}</span>` : nothing
        }
      </p>
      ${failed ? html`<p class="refusal">${failed}</p>` : nothing}
      ${!failed && machine.blocked_by ? html`<p class="quiet">${blockedBy(machine)}</p>` : nothing}
      <p><a href="/firmware">Releases and roll-outs</a></p>
    </section>
  `;
}

/** @param {NodeWatch} watch */
const activity = ({ activity: entries }) => html`
  <section class="card" aria-labelledby="activity-title">
    <h2 id="activity-title">Activity</h2>
    ${
      entries?.length
        ? html`<ul class="node-log">
          ${entries.map(
            (entry) => html`<li class="is-${entry.level.toLowerCase()}">
              <time>${lately(entry.time)}</time><span>${entry.text}</span>
            </li>`,
          )}
        </ul>`
        : html`
          <p class="quiet">
            ${entries ? "No events." : "Loading…"}
          </p>
        `
    }
  </section>
`;
