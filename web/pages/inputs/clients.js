// The tab "WebSocket": connected pages and programs, and the values of those that command.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { duration, fixed } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { sources } from "./sources.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store">} App */
/** @typedef {import("../../lib/types.js").ClientState} ClientState */

/** @param {App} app */
export function clients(app) {
  const { inputs } = app.store.data;
  const isStale = !app.store.isFresh("inputs", app.now);
  const commanding = inputs?.websocket ?? [];
  return html`
    <section class="clients" aria-labelledby="clients-title" ?data-stale=${isStale}>
      <div class="section-head">
        <h2 id="clients-title">Connected clients</h2>
        <span class="quiet">${
          inputs
            ? inputs.clients.length === 1
              ? "1 client"
              : `${inputs.clients.length} clients`
            : ""
        }</span>
      </div>
      ${inputs ? table(app, inputs.clients) : html`<div class="card skeleton rc-wait"></div>`}
      ${isAdmin(app) ? nothing : html`<p class="quiet">Disconnecting needs the admin role.</p>`}
    </section>
    <section aria-labelledby="commanding-title">
      <div class="section-head"><h2 id="commanding-title">Commands</h2></div>
      ${
        commanding.length
          ? sources(app, "websocket", commanding)
          : html`<div class="card empty">
            <h3>No active commands</h3>
            <p>
              A page or program that drives the robot appears here with its values. It times out
              300 ms after its last command.
            </p>
          </div>`
      }
    </section>
  `;
}

/** @param {App} app @param {ClientState[]} list */
const table = (app, list) => html`
  <div class="card table-wrap">
    <table class="table stacks">
      <thead>
        <tr>
          <th>Client</th><th>User</th><th>Address</th><th class="right">Connected</th>
          <th class="right">Messages/s</th>
          <th class="right">Commands</th><th><span class="hidden">Actions</span></th>
        </tr>
      </thead>
      <tbody>
        ${repeat(
          list,
          (each) => each.client_id,
          (each) => row(app, each),
        )}
      </tbody>
    </table>
  </div>
`;

/** @param {App} app @param {ClientState} client */
function row(app, client) {
  const isThis = client.client_id === app.api.session.client_id;
  const user = client.user ? `${client.user}${client.level ? `, ${client.level}` : ""}` : "–";
  return html`
    <tr data-client=${client.client_id}>
      <td data-label="Client">
        <b>${client.client_id}</b>
        ${isThis ? html`<span class="chip new">This page</span>` : nothing}
      </td>
      <td data-label="User">${user}</td>
      <td data-label="Address">${client.address}</td>
      <td data-label="Connected" class="right">${duration(client.connected_s)}</td>
      <td data-label="Messages/s" class="right number">${fixed(client.messages_per_s, 1)}</td>
      <td data-label="Commands" class="right number">${client.commands}</td>
      <td class="right">
        ${
          isAdmin(app)
            ? html`<button
              class="button small"
              type="button"
              data-disconnect
              aria-label=${`Disconnect ${client.client_id}`}
              ?disabled=${isThis}
              @click=${() => disconnect(app, client.client_id)}
            >
              Disconnect
            </button>`
            : nothing
        }
      </td>
    </tr>
  `;
}

/** @param {App} app @param {string} client_id */
function disconnect(app, client_id) {
  askConfirmation(app, {
    title: `Disconnect ${client_id}?`,
    text:
      "Its commands end at once. The client may reconnect; to prevent that, revoke its token or " +
      "session in the settings.",
    verb: "Disconnect the client",
    isDanger: true,
    work: () => app.api.request("system", "disconnect_client", { client_id }),
    said: `${client_id} disconnected.`,
  });
}
