// How the robot is called, and what its server says about itself.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { dayAndClock } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { absent, facts, section } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").Answers} Answers */

const form = { name: "", wrong: "", isBusy: false, isTouched: false };

/** @param {App} app @param {Answers} answers */
export function nameSection(app, answers) {
  const known = answers.data.robot;
  return section(
    "robot",
    "Robot",
    "",
    known ? nameForm(app, answers, known) : absent(app, answers),
  );
}

/** @param {App} app @param {Answers} answers @param {Settings} known */
function nameForm(app, answers, known) {
  const shown = form.isTouched ? form.name : known.name;
  const isSame = shown.trim() === known.name;
  const edit = withValue((value) => {
    Object.assign(form, { name: value, isTouched: true, wrong: "" });
    app.draw();
  });
  return html`
    <form class="form" @submit=${onSubmit(() => save(app, answers))}>
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
            ${form.wrong || `Shown on every page. It was shipped as ${known.shipped_name}.`}
          </small>
        </label>
        <button
          class="button primary"
          type="submit"
          ?disabled=${!isAdmin(app) || isSame || form.isBusy}
        >
          Save
        </button>
      </div>
    </form>
    ${facts([
      ["Runs as", ROLES[known.machine_role] ?? "a program on this computer (simulation)"],
      ["Clock", known.time ? dayAndClock(Date.parse(known.time) / 1000) : "–"],
    ])}
    ${
      known.problems.length
        ? html`<div class="notice">
          <strong>Settings that this machine could not follow:</strong>
          <ul>${known.problems.map((/** @type {string} */ each) => html`<li>${each}</li>`)}</ul>
        </div>`
        : nothing
    }
  `;
}

/** @type {Record<string, string>} */
const ROLES = { server: "server", node: "node", both: "server and node" };

/** @param {App} app @param {Answers} answers */
async function save(app, answers) {
  Object.assign(form, { isBusy: true, wrong: "" });
  app.draw();
  try {
    answers.data.robot = await app.api.request("settings", "set_name", { name: form.name });
    app.api.session.robot = answers.data.robot.name;
    form.isTouched = false;
    app.toasts.done(`The robot is now called ${answers.data.robot.name}.`);
  } catch (err) {
    form.wrong = /** @type {Error} */ (err).message.replace(/^params\./, "");
  }
  form.isBusy = false;
  app.draw();
}
