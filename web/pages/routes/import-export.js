// Export of all routes to a file and import from one. The robot checks the file, and the
// differences are shown before the import.

import { html } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withField, withValue } from "../../lib/events.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog } from "../../parts/dialog.js";
import { changes } from "./differences.js";
import { changeList } from "./presets.js";
import { importText, routes } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {{text: string, name: string, refusal: string, isBusy: boolean}} OpenImport */

/** @param {App} app */
export async function exportRoutes(app) {
  try {
    const { yaml } = await app.api.request("router", "export_routes");
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([yaml], { type: "application/yaml" }));
    link.download = `${app.api.session.robot || "robot"}-routes.yaml`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000); // the download has started by then
  } catch (err) {
    app.toasts.failed(err);
  }
}

/** @param {App} app */
export function openImport(app) {
  app.dialogs.importing = { text: "", name: "routes.yaml", refusal: "", isBusy: false };
  app.draw();
}

/** @param {App} app */
export function importDialog(app) {
  const open = app.dialogs.importing;
  const close = () => ((app.dialogs.importing = null), app.draw());
  return dialog(open, close, (open) => form(app, open, close), "Import routes");
}

/** @param {App} app @param {OpenImport} open @param {() => void} close */
function form(app, open, close) {
  const read = withField(async ({ files }) => {
    const file = files?.[0];
    if (!file) return;
    Object.assign(open, { name: file.name, text: await file.text(), refusal: "" });
    app.draw();
  });
  const edit = withValue((value) => {
    Object.assign(open, { text: value, refusal: "" });
    app.draw();
  });
  const submit = onSubmit(() => review(app, open));
  return html`
    <form class="form" data-import @submit=${submit}>
      <h2>Import routes</h2>
      <label class="entry">
        <span>File</span>
        <input type="file" data-focus accept=".yaml,.yml,.json" @change=${read}>
        <span class="hint">A file from Export or <code>saintctl route export</code>, or
        enter text below.</span>
      </label>
      <label class="entry ${open.refusal ? "is-wrong" : ""}">
        <span>Routes as YAML</span>
        <textarea
          rows="8"
          spellcheck="false"
          class="yaml"
          .value=${open.text}
          @input=${edit}
        ></textarea>
        <span class="wrong" role="alert" data-refusal>${open.refusal}</span>
      </label>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button class="button primary" type="submit" ?disabled=${open.isBusy || !open.text.trim()}>
          ${open.isBusy ? "Checking…" : "Review changes…"}
        </button>
      </div>
    </form>
  `;
}

/**
 * Let the robot check the text, then ask for confirmation.
 * @param {App} app
 * @param {OpenImport} open
 */
async function review(app, open) {
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    const after = await importText(app, open.text, open.name, true);
    app.dialogs.importing = null;
    askConfirmation(app, {
      title: `Import ${open.name}?`,
      text: changeList(changes(routes.snapshot(), after)),
      verb: "Import the routes",
      said: "Routes imported.",
      work: () => routes.replace(app, open.text, open.name),
    });
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}
