// The section of the owner's programs on the server: add, start, stop, remove. Not here: their log
// (the page Logs).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";
import { isAdmin, mayOperate } from "../../lib/levels.js";
import { uploadFile } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { loadFailed, section, waiting } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").ProgramInfo} Program */
/** @typedef {import("./state.js").SettingsState} SettingsState */

const TEXT =
  "Programs of yours that run on the server. They move the robot after people, RC and face " +
  "capture, and change nothing else.";
const SETTLE_MS = 1500; // until systemd has started or ended a process

/** @type {Record<Program["state"], [string, string]>} */
const STATES = {
  running: ["good", "running"],
  waiting: ["warn", "crashed, starts again"],
  stopped: ["idle", "stopped"],
  unknown: ["idle", "unknown"],
};

const upload = { isBusy: false };

/** @param {App} app @param {SettingsState} settings */
export function programsSection(app, settings) {
  const known = settings.data.programs;
  const failure = settings.failures.programs;
  if (failure && !known)
    return section(
      "programs",
      "Programs",
      TEXT,
      loadFailed(failure, () => settings.request(app, "programs")),
    );
  if (!known) return section("programs", "Programs", TEXT, waiting);
  return section(
    "programs",
    "Programs",
    TEXT,
    html`
      ${known.programs.length ? table(app, settings, known.programs) : nothing}
      ${
        known.is_possible
          ? addButton(app, settings)
          : html`<p class="quiet" data-impossible>
            This machine runs no programs: a simulation, or no robot's card. Start yours by hand.
          </p>`
      }
    `,
  );
}

/** @param {App} app @param {SettingsState} settings */
function addButton(app, settings) {
  const isFixed = !isAdmin(app) || upload.isBusy;
  return html`
    <div class="toolbar">
      <label class="button file ${isFixed ? "is-off" : ""}">
        ${upload.isBusy ? "Adding…" : "Add a program…"}
        <input
          class="file-input"
          type="file"
          accept=".zip,application/zip"
          data-add-program
          ?disabled=${isFixed}
          @change=${withField((field) => add(app, settings, field))}
        >
      </label>
      <span class="quiet grow">
        An archive of <code>saintctl program pack</code>. Output: <a href="/logs">Logs</a>.
      </span>
    </div>
  `;
}

/** @param {App} app @param {SettingsState} settings @param {HTMLInputElement} field */
async function add(app, settings, field) {
  const file = field.files?.[0];
  if (!file) return;
  upload.isBusy = true;
  app.draw();
  await settings.change(
    app,
    "programs",
    () => uploadFile("/api/programs", file),
    `${file.name} added.`,
  );
  upload.isBusy = false;
  field.value = "";
  app.draw();
}

/** @param {App} app @param {SettingsState} settings @param {Program[]} programs */
const table = (app, settings, programs) => html`
  <div class="table-wrap">
    <table class="table stacks">
      <thead>
        <tr>
          <th scope="col">Program</th>
          <th scope="col">State</th>
          <th scope="col">Access</th>
          <th scope="col">Memory</th>
          <th class="right" scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>${programs.map((program) => row(app, settings, program))}</tbody>
    </table>
  </div>
`;

/** @param {App} app @param {SettingsState} settings @param {Program} program */
function row(app, settings, program) {
  const [kind, text] = STATES[program.state];
  return html`
    <tr data-program=${program.name}>
      <td data-label="Program">
        <span><b>${program.name}</b>${noteLine(note(program))}</span>
      </td>
      <td data-label="State">
        <span class="chip ${kind}" data-state=${program.state}><i class="dot"></i>${text}</span>
      </td>
      <td data-label="Access">${program.access === "drive" ? "drives" : "reads"}</td>
      <td data-label="Memory">${memory(program)}</td>
      <td class="right">${actions(app, settings, program)}</td>
    </tr>
  `;
}

/** @param {string} text */
const noteLine = (text) => (text ? html`<br><small class="quiet">${text}</small>` : nothing);

/** @param {Program} program */
function note({ problem, description, restarts }) {
  const again = restarts ? `restarted ${restarts} times` : "";
  return problem || [description, again].filter(Boolean).join(", ");
}

/** @param {Program} program */
const memory = ({ memory_bytes: bytes }) => (bytes ? `${Math.round(bytes / 1e6)} MB` : "–");

/** @param {App} app @param {SettingsState} settings @param {Program} program */
function actions(app, settings, program) {
  const { name } = program;
  const isRunning = program.state === "running" || program.state === "waiting";
  return html`
    <button
      class="button plain small"
      type="button"
      data-start
      ?disabled=${!mayOperate(app)}
      @click=${() => order(app, settings, "start", name, `${name} starts.`)}
    >
      ${isRunning ? "Restart" : "Start"}<span class="hidden"> ${name}</span>
    </button>
    ${
      program.is_started || isRunning
        ? html`<button
          class="button plain small"
          type="button"
          data-stop
          ?disabled=${!mayOperate(app)}
          @click=${() => order(app, settings, "stop", name, `${name} stopped.`)}
        >
          Stop<span class="hidden"> ${name}</span>
        </button>`
        : nothing
    }
    <button
      class="button plain small"
      type="button"
      data-remove
      ?disabled=${!isAdmin(app)}
      @click=${() => remove(app, settings, name)}
    >
      Remove<span class="hidden"> ${name}</span>…
    </button>
  `;
}

/**
 * @param {App} app
 * @param {SettingsState} settings
 * @param {"start" | "stop"} action
 * @param {string} name
 * @param {string} said
 */
async function order(app, settings, action, name, said) {
  const work = () => app.api.request("programs", action, { name });
  await settings.change(app, "programs", work, said);
  setTimeout(() => settings.request(app, "programs"), SETTLE_MS);
}

/** @param {App} app @param {SettingsState} settings @param {string} name */
const remove = (app, settings, name) =>
  askConfirmation(app, {
    title: `Remove ${name}?`,
    text: "The program stops, and its folder and its access are deleted.",
    verb: "Remove the program",
    said: `${name} removed.`,
    isDanger: true,
    work: async () => {
      await app.api.request("programs", "remove", { name });
      await settings.request(app, "programs");
    },
  });
