// Dialogs for actions on a node: rename, reset, factory reset, restart, update, replace.

import { html } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { roleName } from "../../lib/format.js";
import { inOrder, isFree, nodeTitle } from "../../lib/robot/nodes.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog, errorLine } from "../../parts/dialog.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "router" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../context.js").Dialogs} Dialogs */

/** @param {App} app */
export const nodeDialogs = (app) => [renameDialog(app), replaceDialog(app)];

/** @typedef {import("../../lib/types.js").Actions["management"]} Actions */

/**
 * @template {keyof Actions} Name
 * @param {App} app
 * @param {Name} action
 * @param {import("../../lib/api.js").Params<"management", Name>} params
 */
const manage = (app, action, params) => app.api.request("management", action, params);

/** @param {App} app @param {NodeInfo} node */
export function askReset(app, node) {
  const { node_id } = node;
  if (node.state === "offline") {
    askConfirmation(app, {
      title: `Forget ${nodeTitle(node)}?`,
      text: html`
      <code>${node_id}</code> is offline, so it is forgotten here but not reset. If it is switched
      on again, it still has its role and reappears.
    `,
      verb: "Forget the node",
      doing: "Forgetting…",
      said: `${node_id} forgotten.`,
      isDanger: true,
      work: () => manage(app, "reset_node", { node_id }),
    });
    return;
  }
  askConfirmation(app, {
    title: `Reset ${nodeTitle(node)}?`,
    text: html`
      <code>${node_id}</code> loses its role, makes its outputs safe and waits for adoption. Its
      name and keys remain.
    `,
    verb: "Reset the node",
    doing: "Resetting…",
    said: `${node_id} reset.`,
    isDanger: true,
    work: () => manage(app, "reset_node", { node_id }),
  });
}

/**
 * Confirm the removal of one of several roles.
 * @param {App} app
 * @param {NodeInfo} node
 * @param {{role: string, instance: string}} held
 */
export function askRoleReset(app, node, { role, instance }) {
  const name = roleName(role, instance).toLowerCase();
  askConfirmation(app, {
    title: `Remove the role ${name}?`,
    text: html`
      <code>${node.node_id}</code> stops this role and makes its outputs safe. Its other roles keep
      running.
    `,
    verb: "Remove the role",
    doing: "Removing…",
    said: `Role ${name} removed from ${node.node_id}.`,
    isDanger: true,
    work: () => manage(app, "reset_node", { node_id: node.node_id, role, instance }),
  });
}

/** @param {App} app @param {NodeInfo} node */
export function askFactoryReset(app, node) {
  const { node_id } = node;
  askConfirmation(app, {
    title: `Factory reset ${nodeTitle(node)}?`,
    text: html`
      The node makes its outputs safe, loses its role, its name and this server, and reinstalls the
      server's release.
    `,
    verb: "Factory reset the node",
    doing: "Resetting…",
    said: `${node_id} reset to factory state.`,
    isDanger: true,
    typed: node_id,
    work: () => manage(app, "reset_node", { node_id, factory_reset: true }),
  });
}

/** @param {App} app @param {NodeInfo} node */
export function askUpdate(app, node) {
  askConfirmation(app, {
    title: `Update ${nodeTitle(node)}?`,
    text: html`
      The node installs the server's newest release and restarts; its role stops meanwhile. If the
      release is not healthy after the restart, the node rolls back by itself.
    `,
    verb: "Update the node",
    doing: "Requesting…",
    said: "Update requested. The page Firmware shows its progress.",
    work: () => manage(app, "trigger_update", { node_id: node.node_id }),
  });
}

/** @param {App} app @param {NodeInfo} node */
export function askReboot(app, node) {
  askConfirmation(app, {
    title: `Restart ${nodeTitle(node)}?`,
    text: html`
      The computer restarts; its role is back after about 1 minute. Refused while its outputs are
      live.
    `,
    verb: "Restart the node",
    doing: "Requesting…",
    said: `${node.node_id} restarts.`,
    isDanger: true,
    work: () => app.api.request("system", "reboot", { node: node.node_id }),
  });
}

/** @param {App} app @param {NodeInfo} node @param {boolean} is_ignored */
export async function setIgnored(app, node, is_ignored) {
  try {
    await manage(app, "ignore_node", { node_id: node.node_id, is_ignored });
    app.toasts.done(`${node.node_id} is ${is_ignored ? "now" : "no longer"} ignored.`);
  } catch (err) {
    app.toasts.failed(err);
  }
}

/** @param {App} app @param {NodeInfo} node */
export function askName(app, node) {
  app.dialogs.renaming = { node, name: node.display_name, isBusy: false, refusal: "" };
  app.draw();
}

/** @param {App} app */
function renameDialog(app) {
  const open = app.dialogs.renaming;
  const close = () => !open?.isBusy && ((app.dialogs.renaming = null), app.draw());
  const work = (/** @type {NonNullable<typeof open>} */ { node, name }) =>
    manage(app, "set_node_name", { node_id: node.node_id, display_name: name.trim() });
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit(() => act(app, "renaming", () => work(open)))}>
        <h2>Rename the node</h2>
        <label class="entry">
          <span>Name of <code>${open.node.node_id}</code></span>
          <input
            name="name"
            maxlength="64"
            autocomplete="off"
            required
            data-focus
            .value=${open.name}
            @input=${withValue((value) => ((open.name = value), app.draw()))}
          >
        </label>
        ${errorLine(open.refusal)}
        <div class="actions">
          <button class="button" type="button" ?disabled=${open.isBusy} @click=${close}>
            Cancel
          </button>
          <button
            class="button primary"
            type="submit"
            data-confirm
            ?disabled=${open.isBusy || !open.name.trim()}
          >
            Rename
          </button>
        </div>
      </form>
    `,
    "Rename the node",
  );
}

/** @param {App} app @param {NodeInfo} node */
export function askReplacement(app, node) {
  const free = inOrder(app.store.data.nodes?.nodes ?? []).filter(isFree);
  app.dialogs.replacing = { node, by: free[0]?.node_id ?? "", isBusy: false, refusal: "" };
  app.draw();
}

/** @param {App} app */
function replaceDialog(app) {
  const open = app.dialogs.replacing;
  const close = () => !open?.isBusy && ((app.dialogs.replacing = null), app.draw());
  const work = async (/** @type {NonNullable<typeof open>} */ { node, by }) => {
    await manage(app, "replace_node", { node_id: node.node_id, by });
    app.router.go(`/nodes/${by}`);
  };
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit(() => act(app, "replacing", () => work(open)))}>
        <h2>Replace ${nodeTitle(open.node)}</h2>
        <p>
          Role, name and settings move to the new node. If <code>${open.node.node_id}</code> comes
          online again, it is reset automatically.
        </p>
        ${candidates(app, open)} ${errorLine(open.refusal)}
        <div class="actions">
          <button class="button" type="button" ?disabled=${open.isBusy} @click=${close}>
            Cancel
          </button>
          <button
            class="button primary"
            type="submit"
            data-confirm
            ?disabled=${open.isBusy || !open.by}
          >
            ${open.isBusy ? "Replacing…" : "Replace"}
          </button>
        </div>
      </form>
    `,
    "Replace the node",
  );
}

/** @param {App} app @param {NonNullable<Dialogs["replacing"]>} open */
function candidates(app, open) {
  const free = inOrder(app.store.data.nodes?.nodes ?? []).filter(isFree);
  if (!free.length) {
    return html`<p>
      <b>No node is free.</b> Switch on a Raspberry Pi with the SAINT.OS image on the robot's
      network; it appears here.
    </p>`;
  }
  return html`
    <fieldset class="options" ?disabled=${open.isBusy}>
      <legend>New node</legend>
      ${free.map(
        (node) => html`
          <label class="option">
            <input
              type="radio"
              name="by"
              value=${node.node_id}
              .checked=${open.by === node.node_id}
              @change=${() => ((open.by = node.node_id), app.draw())}
            >
            <span><b>${nodeTitle(node)}</b><small>${node.node_id} ·
            ${node.hardware_model}</small></span>
          </label>
        `,
      )}
    </fieldset>
  `;
}

/** @param {App} app @param {"renaming" | "replacing"} name @param {() => Promise<unknown>} work */
async function act(app, name, work) {
  const open = app.dialogs[name];
  if (!open) return;
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await work();
    if (app.dialogs[name] === open) app.dialogs[name] = null;
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}
