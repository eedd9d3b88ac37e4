// The list of all nodes, with a filter, a search, and the unknown participants of the network.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { duration, fixed } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import {
  foundText,
  givenName,
  inOrder,
  isFree,
  nodeNote,
  nodeState,
  nodeTitle,
  rolesOf,
} from "../../lib/robot/nodes.js";
import { setIgnored } from "./dialogs.js";
import { scanButton, scanResult } from "./scan.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "router" |
 *   "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodesState} NodesState */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

/** Filter and search; kept while other pages are open. */
const shown = { filter: "all", query: "" };

/** @type {{name: string, title: string, has: (node: NodeInfo) => boolean}[]} */
const FILTERS = [
  { name: "all", title: "All", has: () => true },
  { name: "adopted", title: "With a role", has: (node) => rolesOf(node).length > 0 },
  {
    name: "new",
    title: "Without a role",
    has: (node) => !rolesOf(node).length && !node.is_ignored,
  },
  { name: "offline", title: "Offline", has: (node) => node.state === "offline" },
  { name: "ignored", title: "Ignored", has: (node) => Boolean(node.is_ignored) },
];

/** @param {App} app */
export function listPage(app) {
  const data = app.store.data.nodes;
  const all = inOrder(data?.nodes ?? []);
  const filter = FILTERS.find(({ name }) => name === shown.filter) ?? FILTERS[0];
  const found = all.filter((node) => filter.has(node) && matches(node));
  const unknowns = shown.filter === "all" && !shown.query ? (data?.strangers ?? []) : [];
  return html`
    <div class="page-head">
      <div>
        <h1>Nodes</h1>
        <p class="quiet">${data ? summary(data, all) : ""}</p>
      </div>
      ${scanButton(app)}
    </div>
    ${scanResult()}
    ${
      data?.problem
        ? html`<div class="notice" role="alert">
          <strong>The node registry does not reply.</strong> ${data.problem.message}
        </div>`
        : nothing
    }
    <div class="toolbar node-filters">
      ${filters(app, all)}
      <label class="grow">
        <span class="hidden">Search nodes</span>
        <input
          type="search"
          placeholder="Name, role, address"
          .value=${shown.query}
          @input=${withValue((value) => ((shown.query = value), app.draw()))}
        >
      </label>
    </div>
    <section aria-label="Nodes" ?data-stale=${!app.store.isFresh("nodes", app.now)}>
      ${data ? list(app, all, found) : skeleton}
      ${unknowns.length ? unknownList(unknowns) : nothing}
    </section>
  `;
}

/** @param {NodesState} data @param {NodeInfo[]} all */
function summary(data, all) {
  const held = data.roles.filter((role) => role.node_id).length;
  const waiting = all.filter(isFree).length;
  const away = all.filter((node) => node.state === "offline").length;
  const parts = [`${held} of ${data.roles.length} roles assigned`];
  if (waiting) parts.push(`${waiting} waiting for a role`);
  if (away) parts.push(`${away} offline`);
  return parts.join(" · ");
}

/** @param {App} app @param {NodeInfo[]} all */
const filters = (app, all) => html`
  <fieldset class="segments">
    <legend class="hidden">Show</legend>
    ${FILTERS.map(
      ({ name, title, has }) => html`
        <label>
          <input
            type="radio"
            name="filter"
            value=${name}
            .checked=${shown.filter === name}
            @change=${() => ((shown.filter = name), app.draw())}
          >
          <span>${title} <span class="count">${all.filter(has).length}</span></span>
        </label>
      `,
    )}
  </fieldset>
`;

/** @param {NodeInfo} node */
function matches(node) {
  const { node_id, display_name, address, hardware_model } = node;
  const text = `${node_id} ${display_name} ${nodeTitle(node)} ${address} ${hardware_model}`;
  return text.toLowerCase().includes(shown.query.trim().toLowerCase());
}

/** @param {App} app @param {NodeInfo[]} all @param {NodeInfo[]} found */
function list(app, all, found) {
  if (!all.length) return empty;
  if (!found.length) {
    return html`<div class="card empty" role="status">
      <h2>No matching nodes</h2>
      <p>The robot has ${all.length} ${all.length === 1 ? "node" : "nodes"}.</p>
    </div>`;
  }
  return html`
    <ul class="nodes-list">
      ${repeat(
        found,
        (node) => node.node_id,
        (node) => row(app, node),
      )}
    </ul>
  `;
}

/** @param {App} app @param {NodeInfo} node */
function row(app, node) {
  const [kind, label] = nodeState(node);
  const named = givenName(node);
  const note = nodeNote(node);
  const isBad = Boolean(node.reason) && node.state !== "offline";
  return html`
    <li class="card node-row ${isFree(node) ? "is-free" : ""}" data-node=${node.node_id}>
      <div class="node-name">
        <h2><a href="/nodes/${node.node_id}">${nodeTitle(node)}</a></h2>
        <p class="quiet">${named ? `${named} · ` : ""}<code>${node.node_id}</code></p>
      </div>
      <span class="chip ${kind}"><i class="dot"></i>${label}</span>
      <p class="node-load">${load(node)}</p>
      <p class="node-place quiet">${isFree(node) ? foundText(node) : placeOf(node)}</p>
      <div class="node-act ${isFree(node) || node.is_ignored ? "" : "is-plain"}">
        ${act(app, node)}
      </div>
      ${note ? html`<p class="nodes-note ${isBad ? "is-bad" : "quiet"}">${note}</p>` : nothing}
    </li>
  `;
}

/** @param {NodeInfo} node */
function load(node) {
  if (node.state === "offline") {
    return node.seen_age_s ? `Last seen ${duration(node.seen_age_s)} ago` : "Never seen";
  }
  const temp = node.cpu_temp ? ` · ${fixed(node.cpu_temp, 0)} °C` : "";
  return html`<span class="number">CPU ${fixed(node.cpu_usage, 0)} %${temp}</span>`;
}

/** @param {NodeInfo} node */
function placeOf(node) {
  const release = node.firmware_version ? `v${node.firmware_version}` : "";
  return [node.address, release].filter(Boolean).join(" · ") || node.hardware_model;
}

/** @param {App} app @param {NodeInfo} node */
function act(app, node) {
  if (node.is_ignored) {
    return html`<button
      class="button small"
      type="button"
      ?disabled=${!mayOperate(app)}
      @click=${() => setIgnored(app, node, false)}
    >
      Stop ignoring
    </button>`;
  }
  if (!isFree(node)) return html`<a class="button small" href="/nodes/${node.node_id}">Open</a>`;
  return html`<a
    class="button small primary"
    data-adopt
    href="/nodes/${node.node_id}/adopt"
    >Adopt…</a>`;
}

/** @param {{name: string, reason: string, seen_age_s: number}[]} unknowns */
const unknownList = (unknowns) => html`
  <h2 class="strangers-title">Unknown participants</h2>
  <ul class="card strangers">
    ${unknowns.map(
      ({ name, reason, seen_age_s }) => html`
        <li>
          <code>${name}</code>
          <span>${reason}</span>
          <span class="quiet">${duration(seen_age_s)} ago</span>
        </li>
      `,
    )}
  </ul>
`;

const empty = html`
  <div class="card empty">
    <h2>No nodes</h2>
    <p>
      Switch on a Raspberry Pi with the SAINT.OS image on the robot's network. It appears here
      within a few seconds.
    </p>
  </div>
`;

const skeleton = html`
  <ul class="nodes-list" aria-hidden="true">
    ${[1, 2, 3, 4, 5, 6].map(() => html`<li class="card node-row skeleton"></li>`)}
  </ul>
`;
