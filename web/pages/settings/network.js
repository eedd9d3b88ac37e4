// The server's place in the network: its host name, the Wi-Fi that it joins, its cards.

import { html } from "/vendor/lit-html/lit-html.js";
import { onSubmit } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { entry } from "./entry.js";
import { cards } from "./network-cards.js";
import { follow, isWaiting, lastChange, sentence } from "./network-change.js";
import { absent, section } from "./section.js";
import { wifiForm } from "./wifi.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").Answers} Answers */

const name = { value: "", wrong: "", isBusy: false, isTouched: false };

/** @param {App} app @param {Answers} answers */
export function networkSection(app, answers) {
  const known = answers.data.robot;
  const text = known?.is_simulated
    ? "Simulation: what you change here stands in files of this run alone. This computer " +
      "keeps its name and its network."
    : "Inside are the nodes, outside are you. What is set here stands above saint.yaml on " +
      "the card, until that is changed.";
  return section(
    "network",
    "Network",
    text,
    known ? content(app, answers, known) : absent(app, answers),
  );
}

/** @param {App} app @param {Answers} answers @param {Settings} known */
function content(app, answers, known) {
  return html`
    ${lastChange(app, answers, known.change)} ${nameForm(app, answers, known)}
    <h3>Wi-Fi</h3>
    ${
      known.has_radio
        ? wifiForm(app, answers, known)
        : html`<p class="quiet">This server has no Wi-Fi that could be set (wlan0).</p>`
    }
    <h3>Cards</h3>
    ${cards(known.interfaces)}
  `;
}

/** @param {App} app @param {Answers} answers @param {Settings} known */
function nameForm(app, answers, known) {
  const shown = name.isTouched ? name.value : known.hostname;
  const edit = (/** @type {string} */ value) => (
    Object.assign(name, { value, isTouched: true, wrong: "" }), app.draw()
  );
  return html`
    <form class="form" data-hostname @submit=${onSubmit(() => rename(app, answers))}>
      <div class="name-row">
        ${entry({
          id: "hostname",
          label: "Host name",
          value: shown,
          hint: `The server answers at http://${known.hostname}.local`,
          wrong: name.wrong,
          isFixed: !isAdmin(app),
          edit,
        })}
        <button
          class="button primary"
          type="submit"
          ?disabled=${!isAdmin(app) || isWaiting(known) || name.isBusy || shown === known.hostname}
        >
          ${name.isBusy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {Answers} answers */
async function rename(app, answers) {
  const wish = name.value.trim().toLowerCase();
  if (!/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(wish)) {
    name.wrong = "1 to 63 lower-case letters, digits and -, not at an end.";
    return app.draw();
  }
  Object.assign(name, { isBusy: true, wrong: "" });
  app.draw();
  try {
    const reply = await app.api.request("settings", "set_hostname", { hostname: wish });
    name.isTouched = false;
    follow(app, answers, reply.message);
  } catch (err) {
    name.wrong = sentence(err);
  }
  name.isBusy = false;
  app.draw();
}
