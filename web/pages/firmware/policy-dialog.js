// The dialog in which an admin changes what the owner decides about updates.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked, withValue } from "../../lib/events.js";
import { dialog, errorLine } from "../../parts/dialog.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").UpdatePolicy} UpdatePolicy */
/**
 * @typedef {object} OpenUpdatePolicy
 * @property {UpdatePolicy["offers"]} offers
 * @property {UpdatePolicy["roll_out"]} roll_out
 * @property {boolean} hasWindow
 * @property {string} begin
 * @property {string} end
 * @property {boolean} usb_stick
 * @property {string} releases_from
 * @property {number} check_every_h
 * @property {boolean} hasAuthority
 * @property {boolean} isPublic
 * @property {string} authority
 * @property {boolean} isBusy
 * @property {string} refusal
 */

/** @param {App} app */
export function policyDialog(app) {
  const open = app.dialogs.updatePolicy;
  const close = () => !open?.isBusy && ((app.dialogs.updatePolicy = null), app.draw());
  return dialog(open, close, (open) => form(app, open, close), "Update settings");
}

/** @param {App} app @param {OpenUpdatePolicy} open @param {() => void} close */
const form = (app, open, close) => html`
  <form class="policy-form" @submit=${onSubmit(() => submit(app, open))}>
    <h2>Update settings</h2>
    <label class="check">
      <input
        type="checkbox"
        name="offers"
        data-focus
        .checked=${open.offers === "automatic"}
        @change=${withChecked((isOn) => (open.offers = isOn ? "automatic" : "ask"))}
      >
      Machines take the offered release by themselves when they boot or rest
    </label>
    <label class="check">
      <input
        type="checkbox"
        name="roll_out"
        .checked=${open.roll_out === "automatic"}
        @change=${withChecked((isOn) => (open.roll_out = isOn ? "automatic" : "by_user"))}
      >
      The newest release is rolled out without a user, one node first
    </label>
    ${maintenanceWindow(app, open)} ${source(app, open)} ${errorLine(open.refusal)}
    <div class="actions">
      <button class="button" type="button" ?disabled=${open.isBusy} @click=${close}>Cancel</button>
      <button class="button primary" type="submit" data-confirm ?disabled=${open.isBusy}>
        Save settings
      </button>
    </div>
  </form>
`;

/** @param {App} app @param {OpenUpdatePolicy} open */
const maintenanceWindow = (app, open) => html`
  <label class="check">
    <input
      type="checkbox"
      name="window"
      .checked=${open.hasWindow}
      @change=${withChecked((isOn) => ((open.hasWindow = isOn), app.draw()))}
    >
    Only at this time of day (UTC)
  </label>
  ${
    open.hasWindow
      ? html`<div class="policy-pair">
        <label>
          From
          <input
            type="time"
            name="begin"
            required
            .value=${open.begin}
            @input=${withValue((value) => (open.begin = value))}
          >
        </label>
        <label>
          To
          <input
            type="time"
            name="end"
            required
            .value=${open.end}
            @input=${withValue((value) => (open.end = value))}
          >
        </label>
      </div>`
      : nothing
  }
`;

/** @param {App} app @param {OpenUpdatePolicy} open */
const source = (app, open) => html`
  <label class="check">
    <input
      type="checkbox"
      name="usb_stick"
      .checked=${open.usb_stick}
      @change=${withChecked((isOn) => (open.usb_stick = isOn))}
    >
    Store releases of a USB stick that is plugged into the server
  </label>
  <label>
    Look for releases at (empty: nowhere)
    <input
      type="url"
      name="address"
      inputmode="url"
      placeholder="https://example.org/robots"
      maxlength="500"
      .value=${open.releases_from}
      @input=${withValue((value) => (open.releases_from = value.trim()))}
    >
  </label>
  <label>
    Hours between two looks
    <input
      type="number"
      name="every"
      min="1"
      max="720"
      required
      .value=${String(open.check_every_h)}
      @input=${withValue((value) => (open.check_every_h = Number(value)))}
    >
  </label>
  <details ?open=${!open.isPublic}>
    <summary>Certificate authority of your own</summary>
    <label class="check">
      <input
        type="checkbox"
        name="own"
        .checked=${!open.isPublic}
        @change=${withChecked((isOn) => ((open.isPublic = !isOn), app.draw()))}
      >
      Trust my authority at this address, instead of the public ones
    </label>
    ${
      open.isPublic
        ? nothing
        : html`<label>
          Its certificate (PEM)${open.hasAuthority ? "; empty: as it is" : ""}
          <textarea
            name="authority"
            rows="4"
            spellcheck="false"
            placeholder="-----BEGIN CERTIFICATE-----"
            .value=${open.authority}
            @input=${withValue((value) => (open.authority = value))}
          ></textarea>
        </label>`
    }
  </details>
`;

/** @param {OpenUpdatePolicy} open */
function changes(open) {
  const { offers, roll_out, usb_stick, releases_from, check_every_h } = open;
  const window = open.hasWindow ? `${open.begin}-${open.end}` : "";
  const found = { offers, roll_out, window, usb_stick, releases_from, check_every_h };
  if (open.isPublic) return open.hasAuthority ? { ...found, authority: "" } : found;
  return open.authority ? { ...found, authority: open.authority } : found;
}

/** @param {App} app @param {OpenUpdatePolicy} open */
async function submit(app, open) {
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await app.api.request("management", "set_update_settings", changes(open));
    if (app.dialogs.updatePolicy === open) app.dialogs.updatePolicy = null;
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}
