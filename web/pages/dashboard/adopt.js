// Giving a node its role, and taking it away.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { dialog } from "../../lib/dialog.js";
import { roleName } from "../../lib/format.js";

/** @typedef {import("../../app.js").App} App */

const DUTIES = {
  head: "Pan, tilt and roll, face, camera",
  arms: "Joints and gripper",
  tracks: "Drive motors and odometry",
  console: "Display and buttons",
};

/** @param {App} app */
export function adoptDialog(app) {
  const open = app.dialogs.adopting;
  const close = () => !open.isBusy && ((app.dialogs.adopting = null), app.draw());
  return dialog(open, close, () => {
    const { node } = open;
    const roles = app.store.data.nodes?.roles ?? [];
    return html`
      <form @submit=${(/** @type {SubmitEvent} */ event) => adopt(app, event)}>
        <h2>Adopt this node</h2>
        <p class="quiet"><code>${node.node_id}</code> · ${node.hardware_model || "unknown hardware"}</p>
        ${peripherals(node)}
        <fieldset class="roles" ?disabled=${open.isBusy}>
          <legend>Role</legend>
          ${roles.map((/** @type {any} */ role) => choice(app, role))}
        </fieldset>
        <label>
          <span>Name <span class="quiet">(optional)</span></span>
          <input
            name="name"
            maxlength="64"
            autocomplete="off"
            .value=${open.name}
            ?disabled=${open.isBusy}
            @input=${(/** @type {any} */ event) => (open.name = event.target.value)}
          >
        </label>
        <p class="refusal" role="alert">
          ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
        </p>
        <div class="actions">
          <button class="button" type="button" ?disabled=${open.isBusy} @click=${close}>Cancel</button>
          <button class="button primary" type="submit" data-confirm ?disabled=${open.isBusy || !open.choice}>
            ${open.isBusy ? "Adopting…" : open.choice ? `Adopt as ${chosenName(open.choice)}` : "Choose a role"}
          </button>
        </div>
      </form>
    `;
  }, "Adopt this node");
}

/** @param {any} node */
function peripherals(node) {
  if (!node.peripherals?.length) return html`<p>No peripherals were found on its buses.</p>`;
  const found = node.peripherals.map(
    (/** @type {any} */ p) => `${p.description || p.type} (${p.address})`,
  );
  return html`<p>Found on its buses: ${found.join(", ")}.</p>`;
}

/** @param {string} choice "arms/left" */
function chosenName(choice) {
  const [role, instance] = choice.split("/");
  return roleName(role, instance).toLowerCase();
}

/** @param {App} app @param {import("../../lib/types.js").RoleChoice} role */
function choice(app, role) {
  const open = app.dialogs.adopting;
  const value = `${role.role}/${role.instance}`;
  const holder = app.store.data.nodes.nodes.find(
    (/** @type {any} */ node) => node.node_id === role.node_id,
  );
  const isTaken = Boolean(holder) && holder.state !== "offline";
  const duty = DUTIES[/** @type {"head"} */ (role.role)] ?? "";
  const held = holder ? `held by ${role.node_id}${isTaken ? "" : ", which is offline"}` : duty;
  return html`
    <label class="role ${isTaken ? "is-taken" : ""}">
      <input
        type="radio"
        name="role"
        value=${value}
        .checked=${open.choice === value}
        ?disabled=${isTaken}
        @change=${() => ((open.choice = value), app.draw())}
      >
      <span>
        <b>${roleName(role.role, role.instance)}</b>
        <small>${held}</small>
      </span>
    </label>
  `;
}

/** @param {App} app @param {SubmitEvent} event */
async function adopt(app, event) {
  event.preventDefault();
  const open = app.dialogs.adopting;
  const [role, instance] = open.choice.split("/");
  const display_name = open.name.trim();
  await act(app, "adopting", () =>
    app.api.request("management", "adopt_node", {
      node_id: open.node.node_id,
      role,
      instance,
      ...(display_name ? { display_name } : {}),
    }),
  );
}

/** @param {App} app @param {"adopting" | "resetting"} name @param {() => Promise<any>} work */
async function act(app, name, work) {
  const open = app.dialogs[name];
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

/** @param {App} app */
export function resetDialog(app) {
  const open = app.dialogs.resetting;
  const close = () => !open.isBusy && ((app.dialogs.resetting = null), app.draw());
  const work = () =>
    app.api.request("management", "reset_node", {
      node_id: open.node.node_id,
      factory_reset: open.isFactory,
    });
  return dialog(
    open,
    close,
    () => html`
      <h2>Reset ${roleName(open.node.role, open.node.instance)}?</h2>
      <p>
        <code>${open.node.node_id}</code> gives up its role, its outputs become safe, and it waits to
        be adopted again.
      </p>
      <label class="check">
        <input
          type="checkbox"
          .checked=${open.isFactory}
          @change=${(/** @type {any} */ event) => (open.isFactory = event.target.checked)}
        >
        Forget its name too (factory reset)
      </label>
      <p class="refusal" role="alert">
        ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
      </p>
      <div class="actions">
        <button class="button" type="button" data-focus ?disabled=${open.isBusy} @click=${close}>
          Keep it
        </button>
        <button
          class="button danger"
          type="button"
          ?disabled=${open.isBusy}
          @click=${() => act(app, "resetting", work)}
        >
          ${open.isBusy ? "Resetting…" : "Reset the node"}
        </button>
      </div>
    `,
    "Reset this node",
  );
}
