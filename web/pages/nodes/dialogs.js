// What is asked before something is done to a node: its name, a reset, who takes its place.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { roleName } from "../../lib/format.js";
import { inOrder, isFree, nodeTitle } from "../../lib/robot/nodes.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog } from "../../parts/dialog.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store" |
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
      <code>${node_id}</code> is offline and cannot be reset. It is forgotten here; switched on
      again it still has its role and comes back.
    `,
      verb: "Forget it",
      doing: "Forgetting…",
      said: `${node_id} was forgotten.`,
      isDanger: true,
      work: () => manage(app, "reset_node", { node_id }),
    });
    return;
  }
  askConfirmation(app, {
    title: `Reset ${nodeTitle(node)}?`,
    text: html`
      <code>${node_id}</code> gives up its role, its outputs become safe, and it waits to be adopted
      again. Its name and its keys stay.
    `,
    verb: "Reset the node",
    doing: "Resetting…",
    keep: "Keep it",
    said: `${node_id} was reset.`,
    isDanger: true,
    work: () => manage(app, "reset_node", { node_id }),
  });
}

/**
 * One of several roles.
 * @param {App} app
 * @param {NodeInfo} node
 * @param {{role: string, instance: string}} held
 */
export function askRoleReset(app, node, { role, instance }) {
  const name = roleName(role, instance).toLowerCase();
  askConfirmation(app, {
    title: `Take the role ${name} away?`,
    text: html`
      <code>${node.node_id}</code> stops it and makes its outputs safe; its other roles go on.
    `,
    verb: "Take it away",
    doing: "Stopping…",
    keep: "Keep it",
    said: `${node.node_id} is not ${name} any more.`,
    isDanger: true,
    work: () => manage(app, "reset_node", { node_id: node.node_id, role, instance }),
  });
}

/** @param {App} app @param {NodeInfo} node */
export function askFactoryReset(app, node) {
  const { node_id } = node;
  askConfirmation(app, {
    title: `Factory reset of ${nodeTitle(node)}?`,
    text: html`
      It gives up its role, forgets its name and this server, and installs the server's release
      anew. Its outputs become safe first.
    `,
    verb: "Factory reset",
    doing: "Resetting…",
    keep: "Keep it",
    said: `${node_id} was reset to how it was new.`,
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
      The newest release on the server is installed on this node. Its role stops for that time, and
      the node restarts; a release that does not come back healthy is taken back by itself.
    `,
    verb: "Update this node",
    doing: "Asking…",
    said: "The update is on its way; the page Firmware shows how it goes.",
    work: () => manage(app, "trigger_update", { node_id: node.node_id }),
  });
}

/** @param {App} app @param {NodeInfo} node */
export function askReboot(app, node) {
  askConfirmation(app, {
    title: `Restart ${nodeTitle(node)}?`,
    text: html`
      The computer restarts; its role is away for half a minute and resumes by itself. Refused while
      its outputs are live.
    `,
    verb: "Restart the node",
    doing: "Asking…",
    said: `${node.node_id} restarts.`,
    isDanger: true,
    work: () => app.api.request("system", "reboot", { node: node.node_id }),
  });
}

/** @param {App} app @param {NodeInfo} node @param {boolean} is_ignored */
export async function setIgnored(app, node, is_ignored) {
  try {
    await manage(app, "ignore_node", { node_id: node.node_id, is_ignored });
    app.toasts.done(`${node.node_id} is ${is_ignored ? "ignored" : "offered again"}.`);
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
        <h2>What is it called?</h2>
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
        ${refusal(open)}
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
    location.hash = `#/nodes/${by}`;
  };
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit(() => act(app, "replacing", () => work(open)))}>
        <h2>Which node takes the place of ${nodeTitle(open.node)}?</h2>
        <p>
          Role, name and settings move. Should <code>${open.node.node_id}</code> ever come back, it
          is reset by itself.
        </p>
        ${candidates(app, open)} ${refusal(open)}
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
      <b>No node waits for a role.</b> Switch on a Raspberry Pi with the SAINT.OS image on the
      robot's network; it appears here.
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

/** @param {{refusal: string}} open */
const refusal = (open) => html`
  <p class="refusal" role="alert">
    ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
  </p>
`;

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
