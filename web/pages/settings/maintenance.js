// Logs, diagnostics, restarts, switching off, the way back to how the robot was shipped.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { ask } from "../../lib/confirm.js";
import { withChecked } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { keepFile } from "../../lib/transfer.js";
import { section } from "./section.js";

/** @typedef {import("../../app.js").App} App */
/** @typedef {import("./state.js").Answers} Answers */

/** @param {App} app @param {Answers} answers */
export function maintenanceSection(app, answers) {
  const isFixed = !isAdmin(app);
  const diagnostics = () => keepFile("/api/diagnostics").catch((err) => app.toasts.failed(err));
  const nodes = (app.store.data.nodes?.nodes ?? []).filter((/** @type {any} */ node) => node.role);
  return section(
    "maintenance",
    "Maintenance",
    "",
    html`
      <div class="toolbar">
        <a class="button" href="#/logs">Logs</a>
        <a class="button" href="#/drill/stop">Test the stop</a>
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
              ${nodes.map((/** @type {any} */ node) => power(app, isFixed, ofNode(node)))}
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

const RESTART = {
  label: "Restart the server's programs…",
  title: "Restart the server's programs?",
  text: "The robot holds or stops for some seconds, and this page loses its connection meanwhile.",
  verb: "Restart them",
  group: "maintenance",
  action: "restart",
  params: {},
};
const REBOOT = {
  label: "Restart the server…",
  title: "Restart the server's computer?",
  text:
    "The robot stands still until it is back, which takes about a minute. Nodes keep their " +
    "roles.",
  verb: "Restart it",
  group: "system",
  action: "reboot",
  params: {},
};
const SHUTDOWN = {
  label: "Shut down…",
  title: "Switch the server off?",
  text:
    "The robot stands still. To start it again somebody must take its power away and give it " +
    "again.",
  verb: "Switch it off",
  group: "system",
  action: "shutdown",
  params: {},
};

/** @param {any} node */
const ofNode = (node) => ({
  label: `${node.display_name || node.node_id}…`,
  title: `Restart ${node.display_name || node.node_id}?`,
  text: "Its outputs are safe meanwhile. It comes back with its role in about a minute.",
  verb: "Restart it",
  group: "system",
  action: "reboot",
  params: { node: node.node_id },
});

/** @param {App} app @param {boolean} isFixed @param {any} what */
function power(app, isFixed, what) {
  const key = what.params.node ?? what.action;
  return html`
    <button
      class="button"
      type="button"
      data-power=${key}
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
 * @param {any} what
 */
function question(app, what, force = false) {
  ask(app, {
    title: force ? `${what.title} It is being driven.` : what.title,
    text: what.text,
    verb: force ? `${what.verb} all the same` : what.verb,
    isDanger: true,
    work: async () => {
      try {
        const reply = await app.api.request(what.group, what.action, { ...what.params, force });
        app.toasts.done(reply.message);
      } catch (err) {
        const { code, message, fix } = /** @type {any} */ (err);
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
  ask(app, {
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
