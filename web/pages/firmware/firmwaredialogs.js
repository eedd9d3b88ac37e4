// Questions before something happens to the whole robot: roll out, go back, delete a release.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { dialog } from "../../lib/dialog.js";
import { onSubmit, withChecked, withValue } from "../../lib/events.js";
import { nameOf } from "../../lib/updates.js";

/** @typedef {import("../../app.js").App} App */

/** @param {App} app */
export function firmwareDialog(app) {
  const open = app.dialogs.firmware;
  const close = () => !open.isBusy && ((app.dialogs.firmware = null), app.draw());
  const question = open ? QUESTIONS[/** @type {"rollout"} */ (open.what)] : null;
  return dialog(
    open,
    close,
    () => html`
      <form @submit=${onSubmit(() => carryOut(app))}>
        <h2>${question?.title(open)}</h2>
        ${question?.body(app)}
        <p class="refusal" role="alert">
          ${open.refusal ? html`<strong>It was refused:</strong> ${open.refusal}` : nothing}
        </p>
        <div class="actions">
          <button class="button" type="button" data-focus ?disabled=${open.isBusy} @click=${close}>
            Cancel
          </button>
          <button
            class="button ${question?.kind}"
            type="submit"
            data-confirm
            ?disabled=${open.isBusy}
          >
            ${question?.button}
          </button>
        </div>
      </form>
    `,
    question?.button ?? "",
  );
}

const QUESTIONS = {
  rollout: {
    title: (/** @type {any} */ open) => `Roll out release ${open.release.version}?`,
    button: "Start the roll-out",
    kind: "primary",
    body: rolloutBody,
  },
  rollback: {
    title: () => "Roll all machines back?",
    button: "Roll back all",
    kind: "danger",
    body: () => html`<p>
      Every machine restarts into the release that it ran before, one after the other. A machine
      whose outputs are live waits until they are safe.
    </p>`,
  },
  delete: {
    title: (/** @type {any} */ open) => `Delete release ${open.release.version}?`,
    button: "Delete it",
    kind: "danger",
    body: () =>
      html`<p>Machines that run it keep it. To install it again it must be uploaded again.</p>`,
  },
};

/** @param {App} app */
function rolloutBody(app) {
  const open = app.dialogs.firmware;
  const nodes = (app.store.data.firmware?.machines ?? []).filter(
    (/** @type {any} */ m) => !m.is_server,
  );
  return html`
    <p>
      One machine goes first. When it comes back healthy the others follow, one after the other. At
      the first one that does not, everything stops and that machine is back on its old release.
    </p>
    <label>
      Goes first
      <select @change=${withValue((value) => (open.canary = value))}>
        <option value="">The first that is there</option>
        ${nodes.map(
          (/** @type {any} */ m) =>
            html`<option value=${m.node_id}>${nameOf(m, app.store.data.nodes?.nodes)}</option>`,
        )}
      </select>
    </label>
    <label class="check">
      <input
        type="checkbox"
        .checked=${open.isForced}
        @change=${withChecked((isOn) => (open.isForced = isOn))}
      >
      Also where it runs already or is older than what runs
    </label>
  `;
}

/** @param {App} app */
async function carryOut(app) {
  const open = app.dialogs.firmware;
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    const [action, params] = request(open);
    await app.api.request("management", action, params);
    if (app.dialogs.firmware === open) app.dialogs.firmware = null;
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}

/** @param {any} open @returns {[string, object]} */
function request(open) {
  if (open.what === "rollback") return ["firmware_control", { action: "rollback" }];
  const { version } = open.release;
  if (open.what === "delete") return ["firmware_delete", { version }];
  return ["firmware_rollout", { version, canary: open.canary, force: open.isForced }];
}
