// The nodes: who is on this robot, in which role, and how they are.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { bar } from "../../lib/bar.js";
import { duration, fixed, roleName, words } from "../../lib/format.js";
import { isBusy, lastTry, stateWord } from "../../lib/updates.js";

/** @typedef {import("../../app.js").App} App */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

const STATES = {
  active: ["good", "Active"],
  offline: ["bad", "Offline"],
  unadopted: ["new", "No role yet"],
  adopting: ["busy", "Adopting"],
  boot: ["busy", "Starting"],
  updating: ["busy", "Updating"],
};

/** @param {App} app */
export function nodes(app) {
  const data = app.store.data.nodes;
  const list = order(data?.nodes ?? []);
  const roles = data?.roles ?? [];
  const held = roles.filter((/** @type {any} */ role) => role.node_id).length;
  return html`
    <section aria-labelledby="nodes-title" ?data-stale=${!app.store.isFresh("nodes", app.now)}>
      <div class="section-head">
        <h2 id="nodes-title">Nodes</h2>
        <span class="quiet">${roles.length ? `${held} of ${roles.length} roles taken` : ""}</span>
      </div>
      ${data?.problem ? problem(data.problem) : nothing}
      ${!data ? skeleton : nothing}
      ${data && !list.length && !data.problem ? empty : nothing}
      <div class="node-grid">
        ${repeat(
          list,
          (node) => node.node_id,
          (node) => card(app, node),
        )}
      </div>
    </section>
  `;
}

/** Those that need a person first, then in the order of the roles. @param {NodeInfo[]} list */
function order(list) {
  const rank = ["head", "arms", "tracks", "console"];
  /** @param {NodeInfo} node */
  const key = (node) => {
    const place = node.role ? rank.indexOf(node.role) : 9;
    return `${node.role ? 1 : 0}${place}${node.instance}${node.node_id}`;
  };
  return [...list].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** @param {App} app @param {NodeInfo} node */
function card(app, node) {
  const [kind, label] = STATES[node.state] ?? ["idle", words(node.state)];
  const isFree = node.state === "unadopted" && !node.not_offered;
  const title = node.role ? roleName(node.role, node.instance) : node.display_name || "New node";
  const named = node.role && node.display_name !== title ? node.display_name : "";
  return html`
    <article class="card node ${isFree ? "is-free" : ""}" data-node=${node.node_id}>
      <header>
        <div>
          <h3>${title}</h3>
          <p class="id">${named ? `${named} · ` : ""}<code>${node.node_id}</code></p>
        </div>
        <span class="chip ${kind}"><i class="dot"></i>${label}</span>
      </header>
      ${node.state === "offline" ? away(node) : metrics(node)}
      <div class="notes">
        <p class="reason ${node.reason && node.state !== "offline" ? "is-fault" : ""}">${reason(node) || nothing}</p>
        ${update(app, node)}
      </div>
      <footer>
        <span class="quiet">${footnote(node)}</span>
        ${isFree
          ? html`<button class="button primary" type="button" data-adopt @click=${() => adopt(app, node)}>
              Adopt…
            </button>`
          : html`<button
              class="button plain"
              type="button"
              aria-label=${`Reset ${title}`}
              @click=${() => reset(app, node)}
            >
              Reset…
            </button>`}
      </footer>
    </article>
  `;
}

/** @param {NodeInfo} node */
function reason(node) {
  if (node.reason) return node.reason;
  if (node.not_offered && node.state !== "offline") return `Not offered: ${node.not_offered}`;
  if (node.state === "active" && node.role_restarts > 0) {
    return `Its role was started again ${node.role_restarts} times.`;
  }
  if (node.state === "unadopted") return "Waiting for a role.";
  return "";
}

/** What its update is doing, or why the last one failed. @param {App} app @param {NodeInfo} node */
function update(app, node) {
  const found = (app.store.data.firmware?.machines ?? []).find(
    (/** @type {any} */ machine) => machine.node_id === node.node_id,
  );
  if (!found) return nothing;
  if (isBusy(found)) {
    return html`<p class="update" data-update>${stateWord(found, undefined)[1]}, release ${found.target_version}</p>`;
  }
  const failed = lastTry(found);
  return failed ? html`<p class="update is-fault" data-update><a href="#/firmware">${failed}</a></p>` : nothing;
}

/** @param {NodeInfo} node */
function footnote(node) {
  if (node.state === "offline") return node.hardware_model;
  const release = node.firmware_version ? ` · v${node.firmware_version}` : "";
  // The node shows the same code, unless somebody stands between it and this server.
  return `Up ${duration(node.uptime_s)}${release}${node.code ? ` · code ${node.code}` : ""}`;
}

/** @param {NodeInfo} node */
const away = (node) => html`
  <p class="away">Last heard ${duration(node.seen_age_s)} ago</p>
`;

/** @param {NodeInfo} node */
const metrics = (node) => html`
  <dl class="metrics">
    ${metric("CPU", node.cpu_usage, 100, `${fixed(node.cpu_usage, 0)} %`, 85)}
    ${metric("Mem", node.memory_usage, 100, `${fixed(node.memory_usage, 0)} %`, 90)}
    ${metric("Temp", node.cpu_temp, 90, node.cpu_temp ? `${fixed(node.cpu_temp, 0)} °C` : "–", 75)}
  </dl>
`;

/** @param {string} name @param {number} value @param {number} most @param {string} text @param {number} high */
const metric = (name, value, most, text, high) => html`
  <div class=${value >= high ? "is-high" : ""}>
    <dt>${name}</dt>
    <dd>
      <span>${text}</span>
      <span class="track thin"><i ${bar(value, 0, most)}></i></span>
    </dd>
  </div>
`;

/** @param {App} app @param {NodeInfo} node */
function adopt(app, node) {
  const free = app.store.data.nodes.roles.find((/** @type {any} */ r) => !r.node_id);
  const choice = free ? `${free.role}/${free.instance}` : "";
  app.dialogs.adopting = { node, choice, name: "", isBusy: false, refusal: "" };
  app.draw();
}

/** @param {App} app @param {NodeInfo} node */
function reset(app, node) {
  app.dialogs.resetting = { node, isBusy: false, isFactory: false, refusal: "" };
  app.draw();
}

/** @param {import("../../lib/types.js").Problem} found */
const problem = (found) => html`
  <div class="notice" role="alert">
    <strong>The node registry does not answer.</strong> ${found.message}
  </div>
`;

const empty = html`
  <div class="card empty">
    <h3>No node yet</h3>
    <p>Switch on a Raspberry Pi with the SAINT.OS image on the robot's network. It shows up here by
    itself within a few seconds.</p>
  </div>
`;

const skeleton = html`
  <div class="node-grid" aria-hidden="true">
    ${[1, 2, 3, 4, 5, 6].map(() => html`<div class="card node skeleton"></div>`)}
  </div>
`;
