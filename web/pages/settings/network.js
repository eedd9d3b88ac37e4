// The section of the network: host name, Wi-Fi and network interfaces of the server.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { entry } from "./entry.js";
import { follow, isWaiting, lastChange, sentence } from "./network-change.js";
import { interfaceTable } from "./network-interfaces.js";
import { absent, section } from "./section.js";
import { wifiForm } from "./wifi.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").SettingsState} SettingsState */

const name = { value: "", wrong: "", isBusy: false, isTouched: false };

/** @param {App} app @param {SettingsState} settings */
export function networkSection(app, settings) {
  const known = settings.data.robot;
  const text = known?.is_simulated
    ? "Simulation: changes are written to files of this run only. This computer keeps its " +
      "name and its network."
    : "The inside network connects the nodes, the outside network connects you. Changes " +
      "override saint.yaml on the card until that file changes.";
  return section(
    "network",
    "Network",
    text,
    known ? content(app, settings, known) : absent(app, settings),
  );
}

/** @param {App} app @param {SettingsState} settings @param {Settings} known */
function content(app, settings, known) {
  return html`
    ${addressNotice(known.addresses)} ${lastChange(app, settings, known.change)}
    ${nameForm(app, settings, known)}
    <h3>Wi-Fi</h3>
    ${
      known.has_radio
        ? wifiForm(app, settings, known)
        : html`<p class="quiet">This server has no Wi-Fi interface (wlan0).</p>`
    }
    <h3>Interfaces</h3>
    ${interfaceTable(known.interfaces)}
  `;
}

/** @param {Settings["addresses"]} addresses */
const addressNotice = ({ text, fix }) =>
  text
    ? html`<div class="notice" role="status" data-addresses>
        <strong>${text}</strong><p>${fix}</p>
      </div>`
    : nothing;

/** @param {App} app @param {SettingsState} settings @param {Settings} known */
function nameForm(app, settings, known) {
  const shown = name.isTouched ? name.value : known.hostname;
  const edit = (/** @type {string} */ value) => (
    Object.assign(name, { value, isTouched: true, wrong: "" }), app.draw()
  );
  return html`
    <form class="form" data-hostname @submit=${onSubmit(() => rename(app, settings))}>
      <div class="name-row">
        ${entry({
          id: "hostname",
          label: "Host name",
          value: shown,
          hint: `Address: http://${known.hostname}.local`,
          wrong: name.wrong,
          isFixed: !isAdmin(app),
          edit,
        })}
        <button
          class="button primary"
          type="submit"
          ?disabled=${!isAdmin(app) || isWaiting(known) || name.isBusy || shown === known.hostname}
        >
          ${name.isBusy ? "Saving…" : "Save"}<span class="hidden"> host name</span>
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {SettingsState} settings */
async function rename(app, settings) {
  const hostname = name.value.trim().toLowerCase();
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(hostname)) {
    name.wrong = "Use 1 to 63 lower-case letters, digits and -, with no - at either end.";
    return app.draw();
  }
  Object.assign(name, { isBusy: true, wrong: "" });
  app.draw();
  try {
    const reply = await app.api.request("settings", "set_hostname", { hostname });
    name.isTouched = false;
    follow(app, settings, reply.message);
  } catch (err) {
    name.wrong = sentence(err);
  }
  name.isBusy = false;
  app.draw();
}
