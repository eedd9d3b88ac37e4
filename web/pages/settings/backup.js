// The section of backups: download one, check and restore one, undo the last restore.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withField } from "../../lib/events.js";
import { dayAndClock } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { completeStep } from "../../lib/robot/first-steps.js";
import { downloadFile, uploadFile, uploadWithSecret } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog, errorLine } from "../../parts/dialog.js";
import { confirmingStops } from "../../parts/stop-changes.js";
import { keyField, passphraseIn, restoreKeyField } from "./backup-key.js";
import { section } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").BackupInfo} BackupInfo */
/** @typedef {import("../../lib/types.js").RestoreReply} RestoreReply */
/** @typedef {import("./state.js").SettingsState} SettingsState */
/**
 * @typedef {{file: File, info: BackupInfo | null, refusal: string, isBusy: boolean}} OpenRestore
 */

/** @type {Record<string, string>} */
const NAMES = {
  "adoptiond/nodes": "Nodes: names and roles",
  "adoptiond/calibration": "Calibration of the roles",
  "adoptiond/key": "The server's key, sealed",
  "routerd/routes": "Active routes",
  "routerd/presets": "Custom presets",
  "routerd/sequences": "Sequences",
  "rcd/receiver": "RC receiver with its calibration",
  "livelinkd/senders": "LiveLink: accepted senders",
  "livelinkd/subjects": "LiveLink: zero offset and scale of subjects",
  "webd/settings": "The robot's name",
  "webd/users": "Users and tokens",
};

/** @param {App} app @param {SettingsState} settings */
export function backupSection(app, settings) {
  const isFixed = !isAdmin(app);
  return section(
    "backup",
    "Backup",
    "The settings of this robot in one file: routes, presets, RC, subjects, nodes, users.",
    html`
      ${unfinished(settings)}
      <div class="toolbar">
        <button
          class="button primary"
          type="button"
          data-backup
          ?disabled=${isFixed}
          @click=${withField((button) => download(app, button))}
        >
          Download backup
        </button>
        <label class="button file ${isFixed ? "is-off" : ""}">
          Restore backup…
          <input
            class="file-input"
            type="file"
            accept=".zip,application/zip"
            ?disabled=${isFixed}
            @change=${withField((field) => checkFile(app, field))}
          >
        </label>
        <button
          class="button"
          type="button"
          ?disabled=${isFixed}
          @click=${() => undo(app, settings)}
        >
          Undo last restore…
        </button>
      </div>
      ${isFixed ? nothing : keyField()}
      ${isFixed ? html`<p class="quiet">Backups need the admin role.</p>` : nothing}
    `,
  );
}

/** @param {App} app @param {Element} button */
async function download(app, button) {
  const field = passphraseIn(button.closest("section"));
  try {
    if (field?.value) await downloadFile("/api/backup/sealed", { passphrase: field.value });
    else await downloadFile("/api/backup");
    if (field) field.value = "";
    completeStep("backup");
  } catch (err) {
    app.toasts.failed(err);
  }
}

/** @param {SettingsState} settings */
function unfinished(settings) {
  const waiting = settings.data.restore?.waiting ?? [];
  if (!waiting.length) return nothing;
  return html`<div class="notice">
    <strong>A restore is not complete.</strong> ${waiting.join(", ")} did not reply; the restore
    continues when it is back.
  </div>`;
}

/** @param {App} app @param {HTMLInputElement} input */
async function checkFile(app, input) {
  const file = input.files?.[0];
  input.value = "";
  if (!file) return;
  /** @type {OpenRestore} */
  const open = { file, info: null, refusal: "", isBusy: true };
  app.dialogs.restore = open;
  app.draw();
  try {
    open.info = await uploadFile("/api/backup?check=1", file);
  } catch (err) {
    open.refusal = sentenceOf(err);
  }
  open.isBusy = false;
  app.draw();
}

/** @param {App} app @param {SettingsState} settings */
export function restoreDialog(app, settings) {
  const open = app.dialogs.restore;
  const close = () => !open?.isBusy && ((app.dialogs.restore = null), app.draw());
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit((form) => restore(app, settings, open, form))}>
        <h2>Restore this backup?</h2>
        ${open.info ? content(open.info) : nothing}
        ${open.info && holdsKey(open.info) ? restoreKeyField(open.isBusy) : nothing}
        ${open.isBusy && !open.info ? html`<p>Checking ${open.file.name}…</p>` : nothing}
        ${errorLine(open.refusal, "Restore failed")}
        <div class="actions">
          <button class="button" type="button" data-focus ?disabled=${open.isBusy} @click=${close}>
            ${open.info ? "Cancel" : "Close"}
          </button>
          ${
            open.info
              ? html`<button
                class="button danger"
                type="submit"
                data-restore
                ?disabled=${open.isBusy}
              >
                ${open.isBusy ? "Restoring…" : "Restore backup"}
              </button>`
              : nothing
          }
        </div>
      </form>
    `,
    "Restore a backup",
  );
}

/** @param {BackupInfo} info */
const holdsKey = (info) =>
  info.contents.some(({ daemon, section }) => daemon === "adoptiond" && section === "key");

/** @param {BackupInfo} info */
const content = (info) => html`
  <p>
    Backup of <b>${info.robot}</b>, ${dayAndClock(Date.parse(info.created) / 1000)}, release
    ${info.version || "unknown"}. It replaces the present settings; you can undo the restore.
  </p>
  <ul class="backup-list">
    ${info.contents.map((part) => {
      const name = NAMES[`${part.daemon}/${part.section}`];
      return html`
        <li>
          ${name ?? `${part.daemon}: ${part.section}`}${
            part.entries ? html` <span class="quiet">${part.entries}</span>` : nothing
          }
        </li>
      `;
    })}
  </ul>
  ${
    info.confirm?.length
      ? html`<div class="notice" role="alert">
        <strong>After the restore these no longer stop the robot as they do now:</strong>
        <ul>${info.confirm.map((name) => html`<li>${name}</li>`)}</ul>
      </div>`
      : nothing
  }
  ${
    info.notes.length
      ? html`<div class="notice">
        <strong>Not everything fits this robot:</strong>
        <ul>${info.notes.map((note) => html`<li>${note}</li>`)}</ul>
      </div>`
      : nothing
  }
  <details>
    <summary>Not included</summary>
    <ul>${info.outside.map((each) => html`<li>${each}</li>`)}</ul>
  </details>
`;

/**
 * @param {App} app
 * @param {SettingsState} settings
 * @param {OpenRestore} open
 * @param {HTMLFormElement} form
 */
async function restore(app, settings, open, form) {
  const passphrase = passphraseIn(form)?.value ?? "";
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    const reply = await confirmingStops(app, (names) =>
      passphrase
        ? uploadWithSecret("/api/backup/sealed", open.file, { passphrase, confirm: names })
        : uploadFile(
            `/api/backup?${new URLSearchParams(names.length ? { confirm: names.join(",") } : {})}`,
            open.file,
          ),
    );
    if (app.dialogs.restore === open) app.dialogs.restore = null;
    showResult(app, reply);
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: sentenceOf(err) });
  }
  settings.load(app);
}

/** @param {App} app @param {RestoreReply} reply */
function showResult(app, { restored, waiting }) {
  if (!waiting.length) app.toasts.done(`Restored: ${restored.join(", ")}.`);
  else
    app.toasts.failed({
      message: `${waiting.join(", ")} did not reply.`,
      fix: "Its settings follow when it is back.",
    });
}

/** @param {App} app @param {SettingsState} settings */
function undo(app, settings) {
  askConfirmation(app, {
    title: "Undo the last restore?",
    text: "This restores the settings from before the last restore or factory reset.",
    verb: "Undo the restore",
    isDanger: true,
    work: async () => {
      showResult(app, await app.api.request("maintenance", "undo_restore"));
      settings.load(app);
    },
  });
}
