// Confirmations of firmware updates: start a roll-out, roll back all machines, delete a release.

import { html } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked, withValue } from "../../lib/events.js";
import { nameOf } from "../../lib/robot/machine-updates.js";
import { dialog, errorLine } from "../../parts/dialog.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").Release} Release */
/**
 * @typedef {object} OpenFirmware
 * @property {keyof typeof DIALOGS} what
 * @property {Release | null} release
 * @property {string} canary
 * @property {boolean} isForced
 * @property {boolean} isBusy
 * @property {string} refusal
 */

/** @param {App} app */
export function firmwareDialog(app) {
  const open = app.dialogs.firmware;
  const close = () => !open?.isBusy && ((app.dialogs.firmware = null), app.draw());
  return dialog(
    open,
    close,
    (open) => question(app, open, close),
    open ? DIALOGS[open.what].button : "",
  );
}

/** @param {App} app @param {OpenFirmware} open @param {() => void} close */
function question(app, open, close) {
  const { title, body, button, kind } = DIALOGS[open.what];
  return html`
    <form @submit=${onSubmit(() => submit(app, open))}>
      <h2>${title(version(open))}</h2>
      ${body(app, open)}
      ${errorLine(open.refusal)}
      <div class="actions">
        <button class="button" type="button" data-focus ?disabled=${open.isBusy} @click=${close}>
          Cancel
        </button>
        <button class="button ${kind}" type="submit" data-confirm ?disabled=${open.isBusy}>
          ${button}
        </button>
      </div>
    </form>
  `;
}

/** @param {OpenFirmware} open */
const version = ({ release }) => release?.version ?? "";

const DIALOGS = {
  rollout: {
    title: (/** @type {string} */ version) => `Roll out release ${version}?`,
    button: "Start the roll-out",
    kind: "primary",
    body: rolloutBody,
  },
  rollback: {
    title: () => "Roll all machines back?",
    button: "Roll back all machines",
    kind: "danger",
    body: () => html`<p>
      Every machine restarts into its previous release, one after the other. A machine with live
      outputs waits until they are safe.
    </p>`,
  },
  delete: {
    title: (/** @type {string} */ version) => `Delete release ${version}?`,
    button: "Delete the release",
    kind: "danger",
    body: () => html`<p>Machines that run it keep it. To install it again, upload it again.</p>`,
  },
};

/** @param {App} app @param {OpenFirmware} open */
function rolloutBody(app, open) {
  const nodes = (app.store.data.firmware?.machines ?? []).filter((m) => !m.is_server);
  return html`
    <p>
      One machine is updated first. When it is healthy again, the others follow one after the other.
      If a machine is not healthy, it rolls back and the roll-out halts.
    </p>
    <label>
      First machine
      <select @change=${withValue((value) => (open.canary = value))}>
        <option value="">Any online machine</option>
        ${nodes.map(
          (m) =>
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
      Also reinstall the same release and install over a newer one
    </label>
  `;
}

/** @param {App} app @param {OpenFirmware} open */
async function submit(app, open) {
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await request(app, open);
    if (app.dialogs.firmware === open) app.dialogs.firmware = null;
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}

/** @param {App} app @param {OpenFirmware} open */
function request({ api }, open) {
  const { what, canary, isForced: force } = open;
  if (what === "rollback")
    return api.request("management", "firmware_control", { action: "rollback" });
  if (what === "delete")
    return api.request("management", "firmware_delete", { version: version(open) });
  return api.request("management", "firmware_rollout", { version: version(open), canary, force });
}
