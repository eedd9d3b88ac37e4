// Logs, diagnostics, restarts, switching off, the way back to how the robot was shipped.

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
/** @typedef {import("./state.js").Answers} Answers */

/** @param {App} app @param {Answers} answers */
export function maintenanceSection(app, answers) {
  const isFixed = !isAdmin(app);
  const diagnostics = () => downloadFile("/api/diagnostics").catch((err) => app.toasts.failed(err));
  const nodes = (app.store.data.nodes?.nodes ?? []).filter((node) => node.role);
  return section(
    "maintenance",
    "Maintenance",
    "",
    html`
      <div class="toolbar">
        <a class="button" href="#/logs">Logs</a>
        <a class="button" href="#/stop-test/stop">Test the stop</a>
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
      <h3>Restart</h3>
      <div class="toolbar">
        ${power(app, isFixed, RESTART)} ${power(app, isFixed, REBOOT)}
        ${power(app, isFixed, SHUTDOWN)}
      </div>
      ${
        nodes.length
          ? html`<details>
            <summary>Restart one node</summary>
            <div class="toolbar">
              ${nodes.map((node) => power(app, isFixed, ofNode(node)))}
            </div>
          </details>`
          : nothing
      }
      <h3>Begin anew</h3>
      <p class="quiet">
        Routes, presets, RC settings, subjects, names and users are forgotten. Releases, recordings
        and the machine's own network stay. Take a backup first.
      </p>
      <div class="toolbar">
        <button
          class="button danger"
          type="button"
          data-reset
          ?disabled=${isFixed}
          @click=${() => reset(app, answers)}
        >
          Factory reset…
        </button>
      </div>
      ${isFixed ? html`<p class="quiet">Only an admin may do these.</p>` : nothing}
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
  label: "Restart the server's programs…",
  title: "Restart the server's programs?",
  text: "The robot holds or stops for some seconds, and this page loses its connection meanwhile.",
  verb: "Restart them",
  send: (api, force) => api.request("maintenance", "restart", { force }),
};
/** @type {Power} */
const REBOOT = {
  key: "reboot",
  label: "Restart the server…",
  title: "Restart the server's computer?",
  text:
    "The robot stands still until it is back, which takes about a minute. Nodes keep their " +
    "roles.",
  verb: "Restart it",
  send: (api, force) => api.request("system", "reboot", { force }),
};
/** @type {Power} */
const SHUTDOWN = {
  key: "shutdown",
  label: "Shut down…",
  title: "Switch the server off?",
  text:
    "The robot stands still. To start it again somebody must take its power away and give it " +
    "again.",
  verb: "Switch it off",
  send: (api, force) => api.request("system", "shutdown", { force }),
};

/** @param {NodeInfo} node @returns {Power} */
const ofNode = (node) => ({
  key: node.node_id,
  label: `${node.display_name || node.node_id}…`,
  title: `Restart ${node.display_name || node.node_id}?`,
  text: "Its outputs are safe meanwhile. It comes back with its role in about a minute.",
  verb: "Restart it",
  send: (api, force) => api.request("system", "reboot", { node: node.node_id, force }),
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
 * A refusal because somebody drives is asked about once more.
 * @param {App} app
 * @param {Power} what
 */
function question(app, what, force = false) {
  askConfirmation(app, {
    title: force ? `${what.title} It is being driven.` : what.title,
    text: what.text,
    verb: force ? `${what.verb} all the same` : what.verb,
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

/** @param {App} app @param {Answers} answers */
function reset(app, answers) {
  const name = answers.data.robot?.name ?? app.api.session.robot;
  const choice = { nodes: false };
  askConfirmation(app, {
    title: "Factory reset?",
    text: html`
      What was set on this robot is forgotten, users too: whoever comes next claims it with the code
      that the server shows. It can be undone until something else is restored.
      <label class="check">
        <input
          type="checkbox"
          @change=${withChecked((isOn) => (choice.nodes = isOn))}
        >
        Nodes that are there forget their role and this server too
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
      app.toasts.done("The robot begins anew.");
      for (const note of reply.notes) app.toasts.failed({ message: note });
      answers.load(app);
    },
  });
}
