// The section with the robot's name and facts about its server.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { dayAndClock } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { absent, facts, section } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").SettingsState} SettingsState */

const form = { name: "", wrong: "", isBusy: false, isTouched: false };

/** @param {App} app @param {SettingsState} settings */
export function nameSection(app, settings) {
  const known = settings.data.robot;
  return section(
    "robot",
    "Robot",
    "",
    known ? nameForm(app, settings, known) : absent(app, settings),
  );
}

/** @param {App} app @param {SettingsState} settings @param {Settings} known */
function nameForm(app, settings, known) {
  const shown = form.isTouched ? form.name : known.name;
  const isSame = shown.trim() === known.name;
  const edit = withValue((value) => {
    Object.assign(form, { name: value, isTouched: true, wrong: "" });
    app.draw();
  });
  return html`
    <form class="form" @submit=${onSubmit(() => save(app, settings))}>
      <div class="name-row">
        <label class="entry ${form.wrong ? "is-wrong" : ""}">
          <span>Name of the robot</span>
          <input
            name="robot-name"
            maxlength="64"
            autocomplete="off"
            aria-describedby="name-hint"
            .value=${shown}
            ?disabled=${!isAdmin(app)}
            @input=${edit}
          >
          <small class=${form.wrong ? "wrong" : "hint"} id="name-hint">
            ${form.wrong || `Shown on every page. Shipped as ${known.shipped_name}.`}
          </small>
        </label>
        <button
          class="button primary"
          type="submit"
          ?disabled=${!isAdmin(app) || isSame || form.isBusy}
        >
          Save<span class="hidden"> name</span>
        </button>
      </div>
    </form>
    ${facts([
      ["Machine role", ROLES[known.machine_role] ?? "simulation on this computer"],
      ["Clock", known.time ? dayAndClock(Date.parse(known.time) / 1000) : "–"],
    ])}
    ${
      known.problems.length
        ? html`<div class="notice">
          <strong>These settings could not be applied:</strong>
          <ul>${known.problems.map((/** @type {string} */ each) => html`<li>${each}</li>`)}</ul>
        </div>`
        : nothing
    }
  `;
}

/** @type {Record<string, string>} */
const ROLES = { server: "server", node: "node", both: "server and node" };

/** @param {App} app @param {SettingsState} settings */
async function save(app, settings) {
  Object.assign(form, { isBusy: true, wrong: "" });
  app.draw();
  try {
    settings.data.robot = await app.api.request("settings", "set_name", { name: form.name });
    app.api.session.robot = settings.data.robot.name;
    form.isTouched = false;
    app.toasts.done(`Name changed to ${settings.data.robot.name}.`);
  } catch (err) {
    form.wrong = /** @type {Error} */ (err).message.replace(/^params\./, "");
  }
  form.isBusy = false;
  app.draw();
}
