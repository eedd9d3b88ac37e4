// The whole robot in one file: keep it, look into one, bring it back, take that back again.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withField } from "../../lib/events.js";
import { dayAndClock } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { completeStep } from "../../lib/robot/first-steps.js";
import { downloadFile, uploadFile, uploadWithSecret } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog } from "../../parts/dialog.js";
import { confirmingStops } from "../../parts/stop-changes.js";
import { keyField, passphraseIn, restoreKeyField } from "./backup-key.js";
import { section } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").BackupInfo} BackupInfo */
/** @typedef {import("../../lib/types.js").RestoreReply} RestoreReply */
/** @typedef {import("./state.js").Answers} Answers */
/**
 * @typedef {{file: File, info: BackupInfo | null, refusal: string, isBusy: boolean}} OpenRestore
 */

/** @type {Record<string, string>} */
const NAMES = {
  "adoptiond/nodes": "Nodes: names and roles",
  "adoptiond/calibration": "Calibration of the roles",
  "adoptiond/key": "The server's key, sealed",
  "routerd/routes": "Routes in force",
  "routerd/presets": "Your own presets",
  "rcd/receiver": "RC receiver with its calibration",
  "livelinkd/senders": "LiveLink: accepted senders",
  "livelinkd/subjects": "LiveLink: zero and scale of subjects",
  "webd/settings": "The robot's name",
  "webd/users": "Users and tokens",
};

/** @param {App} app @param {Answers} answers */
export function backupSection(app, answers) {
  const isFixed = !isAdmin(app);
  return section(
    "backup",
    "Backup",
    "Everything that was set on this robot in one file: routes, presets, RC, subjects, " +
      "nodes, users.",
    html`
      ${unfinished(answers)}
      <div class="toolbar">
        <button
          class="button primary"
          type="button"
          data-backup
          ?disabled=${isFixed}
          @click=${withField((button) => keep(app, button))}
        >
          Download a backup
        </button>
        <label class="button file ${isFixed ? "is-off" : ""}">
          Restore…
          <input
            class="file-input"
            type="file"
            accept=".zip,application/zip"
            ?disabled=${isFixed}
            @change=${withField((field) => look(app, field))}
          >
        </label>
        <button
          class="button"
          type="button"
          ?disabled=${isFixed}
          @click=${() => undo(app, answers)}
        >
          Undo the last restore…
        </button>
      </div>
      ${isFixed ? nothing : keyField()}
      ${isFixed ? html`<p class="quiet">Only an admin may take and restore backups.</p>` : nothing}
    `,
  );
}

/** @param {App} app @param {Element} button */
async function keep(app, button) {
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

/** @param {Answers} answers */
function unfinished(answers) {
  const waiting = answers.data.restore?.waiting ?? [];
  if (!waiting.length) return nothing;
  return html`<div class="notice">
    <strong>A restore is not finished.</strong> ${waiting.join(", ")} did not answer; it goes on as
    soon as that is back.
  </div>`;
}

/** @param {App} app @param {HTMLInputElement} input */
async function look(app, input) {
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

/** @param {App} app @param {Answers} answers */
export function restoreDialog(app, answers) {
  const open = app.dialogs.restore;
  const close = () => !open?.isBusy && ((app.dialogs.restore = null), app.draw());
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit((form) => carryOut(app, answers, open, form))}>
        <h2>Restore this backup?</h2>
        ${open.info ? content(open.info) : nothing}
        ${open.info && holdsKey(open.info) ? restoreKeyField(open.isBusy) : nothing}
        ${
          open.isBusy && !open.info ? html`<p>The robot looks into ${open.file.name}…</p>` : nothing
        }
        <p class="refusal" role="alert">
          ${open.refusal ? html`<strong>It cannot be restored:</strong> ${open.refusal}` : nothing}
        </p>
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
                ${open.isBusy ? "Restoring…" : "Restore it"}
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
    Of <b>${info.robot}</b>, ${dayAndClock(Date.parse(info.created) / 1000)}, written by release
    ${info.version || "unknown"}. What is set now is replaced; you can undo that.
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
        <strong>After this the robot no longer stops as it does by:</strong>
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
    <summary>What is not in it</summary>
    <ul>${info.outside.map((each) => html`<li>${each}</li>`)}</ul>
  </details>
`;

/**
 * @param {App} app
 * @param {Answers} answers
 * @param {OpenRestore} open
 * @param {HTMLFormElement} form
 */
async function carryOut(app, answers, open, form) {
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
    tell(app, reply);
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: sentenceOf(err) });
  }
  answers.load(app);
}

/** @param {App} app @param {RestoreReply} reply */
function tell(app, { restored, waiting }) {
  if (!waiting.length) app.toasts.done(`Restored: ${restored.join(", ")}.`);
  else
    app.toasts.failed({
      message: `${waiting.join(", ")} did not answer.`,
      fix: "Its part follows when it does.",
    });
}

/** @param {App} app @param {Answers} answers */
function undo(app, answers) {
  askConfirmation(app, {
    title: "Undo the last restore?",
    text: "Everything is set again as it was before the last restore or factory reset.",
    verb: "Undo it",
    isDanger: true,
    work: async () => {
      tell(app, await app.api.request("maintenance", "undo_restore"));
      answers.load(app);
    },
  });
}
