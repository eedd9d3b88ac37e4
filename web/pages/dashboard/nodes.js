// The card with all nodes and their state. Not here: actions on a node (pages/nodes).

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { duration, fixed } from "../../lib/format.js";
import {
  givenName,
  inOrder,
  isFree,
  nodeNote,
  nodeState,
  nodeTitle,
} from "../../lib/robot/nodes.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"now" | "store">} App */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

/** @param {App} app */
export function nodes(app) {
  const data = app.store.data.nodes;
  const list = inOrder(data?.nodes ?? []);
  const roles = data?.roles ?? [];
  const held = roles.filter((role) => role.node_id).length;
  return html`
    <section aria-labelledby="nodes-title" ?data-stale=${!app.store.isFresh("nodes", app.now)}>
      <div class="section-head">
        <h2 id="nodes-title"><a href="/nodes">Nodes</a></h2>
        <span class="quiet">
          ${roles.length ? `${held} of ${roles.length} roles assigned` : ""}
        </span>
      </div>
      ${data?.problem ? problem(data.problem) : nothing}
      ${!data ? html`<div class="card skeleton node-wait"></div>` : nothing}
      ${data && !list.length && !data.problem ? empty : nothing}
      ${
        list.length
          ? html`<ul class="card node-list">${repeat(list, (node) => node.node_id, row)}</ul>`
          : nothing
      }
    </section>
  `;
}

/** @param {NodeInfo} node */
function row(node) {
  const [kind, label] = nodeState(node);
  const href = `/nodes/${encodeURIComponent(node.node_id)}`;
  return html`
    <li data-node=${node.node_id}>
      <span class="node-name">
        <a href=${href}>${nodeTitle(node)}</a>
        <small>${givenName(node) ? `${givenName(node)} · ` : ""}<code>${node.node_id}</code></small>
      </span>
      ${
        node.state === "offline"
          ? html`<span class="node-away">Last seen ${duration(node.seen_age_s)} ago</span>`
          : html`
            <span class="node-numbers">
              ${meter("CPU", node.cpu_usage, 100, `${fixed(node.cpu_usage, 0)} %`, 85)}
              ${meter(
                "Temp",
                node.cpu_temp,
                90,
                node.cpu_temp ? `${fixed(node.cpu_temp, 0)} °C` : "–",
                75,
              )}
            </span>
          `
      }
      <span class="node-state">
        ${
          isFree(node)
            ? html`<a class="button small primary" data-adopt href="${href}/adopt">Adopt…</a>`
            : html`<span class="chip ${kind}"><i class="dot"></i>${label}</span>`
        }
      </span>
      ${
        nodeNote(node) && !isFree(node)
          ? html`<span class="node-note ${node.reason ? "is-fault" : ""}">${nodeNote(node)}</span>`
          : nothing
      }
    </li>
  `;
}

/**
 * @param {string} name
 * @param {number} value
 * @param {number} most
 * @param {string} text
 * @param {number} high
 */
const meter = (name, value, most, text, high) => html`
  <span class="meter ${value >= high ? "is-high" : ""}">
    <span><small>${name}</small> <b class="number">${text}</b></span>
    <span class="track thin"><i ${bar(value, 0, most)}></i></span>
  </span>
`;

/** @param {import("../../lib/types.js").ErrorReply} found */
const problem = (found) => html`
  <div class="notice" role="alert">
    <strong>The node registry does not reply.</strong> ${found.message}
  </div>
`;

const empty = html`
  <div class="card empty">
    <h3>No nodes</h3>
    <p>Switch on a Raspberry Pi with the SAINT.OS image on the robot's network. It appears here
    within a few seconds.</p>
  </div>
`;
