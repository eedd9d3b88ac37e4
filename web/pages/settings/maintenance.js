// The section of maintenance: logs, stop test, diagnostics, restart, shutdown, factory reset.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../lib/api.js";
import { withChecked } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { downloadFile } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { section } from "./section.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./state.js").SettingsState} SettingsState */

/** @param {App} app @param {SettingsState} settings */
export function maintenanceSection(app, settings) {
  const isFixed = !isAdmin(app);
  const diagnostics = () => downloadFile("/api/diagnostics").catch((err) => app.toasts.failed(err));
  const nodes = (app.store.data.nodes?.nodes ?? []).filter((node) => node.role);
  return section(
    "maintenance",
    "Maintenance",
    "",
    html`
      <div class="toolbar">
        <a class="button" href="/logs">Open logs</a>
        <a class="button" href="/stop-test">Test the stop</a>
        <a class="button" href="/self-test">Test a node's hardware</a>
        <button
          class="button"
          type="button"
          data-diagnostics
          ?disabled=${isFixed}
          @click=${diagnostics}
        >
          Download diagnostics
        </button>
      </div>
      <h3>Restart and shut down</h3>
      <div class="toolbar">
        ${power(app, isFixed, RESTART)} ${power(app, isFixed, REBOOT)}
        ${power(app, isFixed, SHUTDOWN)}
      </div>
      ${
        nodes.length
          ? html`<details>
              <summary>Restart a node</summary>
              <div class="toolbar">
                ${nodes.map((node) => power(app, isFixed, ofNode(node)))}
              </div>
            </details>
            <details>
              <summary>Shut down one machine</summary>
              <div class="toolbar">
                ${power(app, isFixed, SHUTDOWN_SERVER)}
                ${nodes.map((node) => power(app, isFixed, offNode(node)))}
              </div>
            </details>`
          : nothing
      }
      <h3>Factory reset</h3>
      <p class="quiet">
        Deletes routes, presets, RC settings, subjects, names and users. Releases, recordings and
        the machine's network settings remain. Download a backup first.
      </p>
      <div class="toolbar">
        <button
          class="button danger"
          type="button"
          data-reset
          ?disabled=${isFixed}
          @click=${() => reset(app, settings)}
        >
          Factory reset…
        </button>
      </div>
      ${isFixed ? html`<p class="quiet">Maintenance needs the admin role.</p>` : nothing}
    `,
  );
}

/**
 * @typedef {object} Power
 * @property {string} key
 * @property {string} label
 * @property {string} title
 * @property {unknown} text
 * @property {string} verb
 * @property {(api: import("../../lib/api.js").Api, force: boolean) => Promise<{message: string}>}
 * send
 */

/** @type {Power} */
const RESTART = {
  key: "restart",
  label: "Restart services…",
  title: "Restart the server's services?",
  text: "The robot holds or stops for some seconds, and this page loses its connection meanwhile.",
  verb: "Restart the services",
  send: (api, force) => api.request("maintenance", "restart", { force }),
};
/** @type {Power} */
const REBOOT = {
  key: "reboot",
  label: "Restart server…",
  title: "Restart the server's computer?",
  text:
    "The robot stands still for about 1 minute until the server is back. Nodes keep their " +
    "roles.",
  verb: "Restart the server",
  send: (api, force) => api.request("system", "reboot", { force }),
};
/** @type {Power} */
const SHUTDOWN = {
  key: "shutdown",
  label: "Shut down robot…",
  title: "Shut down the whole robot?",
  text:
    "All nodes and then the server switch off. To start them again, disconnect and reconnect " +
    "their power.",
  verb: "Shut down the robot",
  send: (api, force) => api.request("system", "shutdown", { force }),
};
/** @type {Power} */
const SHUTDOWN_SERVER = {
  key: "shutdown-server",
  label: "Server…",
  title: "Shut down the server alone?",
  text:
    "The robot stands still, its nodes stay on. To start the server again, disconnect and " +
    "reconnect its power.",
  verb: "Shut down the server",
  send: (api, force) => api.request("system", "shutdown", { node: "server", force }),
};

/** @param {NodeInfo} node @returns {Power} */
const ofNode = (node) => ({
  key: node.node_id,
  label: `${node.display_name || node.node_id}…`,
  title: `Restart ${node.display_name || node.node_id}?`,
  text: "Its outputs are safe meanwhile. The node is back in its role after about 1 minute.",
  verb: "Restart the node",
  send: (api, force) => api.request("system", "reboot", { node: node.node_id, force }),
});

/** @param {NodeInfo} node @returns {Power} */
const offNode = (node) => ({
  key: `off-${node.node_id}`,
  label: `${node.display_name || node.node_id}…`,
  title: `Shut down ${node.display_name || node.node_id}?`,
  text: "Its outputs are safe first. To start it again, disconnect and reconnect its power.",
  verb: "Shut down the node",
  send: (api, force) => api.request("system", "shutdown", { node: node.node_id, force }),
});

/** @param {App} app @param {boolean} isFixed @param {Power} what */
function power(app, isFixed, what) {
  return html`
    <button
      class="button"
      type="button"
      data-power=${what.key}
      ?disabled=${isFixed}
      @click=${() => question(app, what)}
    >
      ${what.label}
    </button>
  `;
}

/**
 * Ask for confirmation, and once more if the robot refuses because it is being driven.
 * @param {App} app
 * @param {Power} what
 */
function question(app, what, force = false) {
  askConfirmation(app, {
    title: force ? `${what.title} The robot is being driven.` : what.title,
    text: what.text,
    verb: force ? `${what.verb} anyway` : what.verb,
    isDanger: true,
    work: async () => {
      try {
        const reply = await what.send(app.api, force);
        app.toasts.done(reply.message);
      } catch (err) {
        const { code, message, fix } = problemOf(err);
        if (code !== "refused" || force || !/ drives /.test(message)) throw err;
        question(app, { ...what, text: html`<b>${message}.</b> ${fix}` }, true);
      }
    },
  });
}

/** @param {App} app @param {SettingsState} settings */
function reset(app, settings) {
  const name = settings.data.robot?.name ?? app.api.session.robot;
  const choice = { nodes: false };
  askConfirmation(app, {
    title: "Factory reset?",
    text: html`
      This deletes all settings of the robot and its users; the next owner claims it with the code
      on the server's screen. You can undo the reset until another backup is restored.
      <label class="check">
        <input
          type="checkbox"
          @change=${withChecked((isOn) => (choice.nodes = isOn))}
        >
        Also reset the role and server of all online nodes
      </label>
    `,
    verb: "Reset the robot",
    typed: name,
    isDanger: true,
    work: async () => {
      const reply = await app.api.request("maintenance", "factory_reset", {
        confirm: name,
        ...choice,
      });
      app.toasts.done("Factory reset done.");
      for (const note of reply.notes) app.toasts.failed({ message: note });
      settings.load(app);
    },
  });
}
