// The tab "WebSocket": programs and pages that are connected, and what those that command say.

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
        <h2 id="clients-title">Connected</h2>
        <span class="quiet">${
          inputs
            ? inputs.clients.length === 1
              ? "1 client"
              : `${inputs.clients.length} clients`
            : ""
        }</span>
      </div>
      ${inputs ? table(app, inputs.clients) : html`<div class="card skeleton rc-wait"></div>`}
      ${isAdmin(app) ? nothing : html`<p class="quiet">Only an admin may end a connection.</p>`}
    </section>
    <section aria-labelledby="commanding-title">
      <div class="section-head"><h2 id="commanding-title">What they command</h2></div>
      ${
        commanding.length
          ? sources(app, "websocket", commanding)
          : html`<div class="card empty">
            <h3>No client commands anything</h3>
            <p>
              Whoever drives from a page or a program appears here with every value. A client is
              forgotten 300 ms after its last command.
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
          <th>Client</th><th>Who</th><th>Address</th><th class="right">Connected</th>
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
  const who = client.user ? `${client.user}${client.level ? `, ${client.level}` : ""}` : "–";
  return html`
    <tr data-client=${client.client_id}>
      <td data-label="Client">
        <b>${client.client_id}</b>
        ${isThis ? html`<span class="chip new">This page</span>` : nothing}
      </td>
      <td data-label="Who">${who}</td>
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
      "What it commands ends at once. It may come back by itself: to keep it out, take its " +
      "token away in the settings.",
    verb: "Disconnect it",
    isDanger: true,
    work: () => app.api.request("system", "disconnect_client", { client_id }),
    said: `${client_id} was disconnected.`,
  });
}
