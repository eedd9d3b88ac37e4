// Presets: named sets of routes to load, save and delete. Loading shows the differences first.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { words } from "../../lib/format.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog } from "../../parts/dialog.js";
import { changes, plural } from "./differences.js";
import { isOff, routes } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {NonNullable<import("../../context.js").Dialogs["preset"]>} OpenPreset */
/** @typedef {import("../../lib/types.js").PresetInfo} PresetInfo */

/** @param {App} app */
export function presets(app) {
  const known = routes.presets;
  return html`
    <section aria-labelledby="presets-title" data-presets>
      <div class="section-head">
        <h2 id="presets-title">Presets</h2>
        <button
          class="button small"
          type="button"
          data-save-preset
          ?disabled=${isOff(app)}
          @click=${() => openSave(app)}
        >
          Save routes as preset…
        </button>
      </div>
      <ul class="presets">
        ${
          known
            ? known.map((preset) => html`<li>${card(app, preset)}</li>`)
            : html`<li class="card skeleton"></li>`
        }
      </ul>
    </section>
  `;
}

/** @param {App} app @param {PresetInfo} preset */
function card(app, preset) {
  const isLoaded = preset.name === routes.loaded;
  return html`
    <div class="card preset" data-preset=${preset.name}>
      <div>
        <h3>
          ${words(preset.name)}
          ${isLoaded ? html`<span class="chip good"><i class="dot"></i>Active</span>` : nothing}
        </h3>
        <p class="quiet">
          ${plural(preset.routes, "route")}, ${preset.is_shipped ? "shipped" : "custom"}
        </p>
      </div>
      ${preset.fault ? html`<p class="refusal">${preset.fault}</p>` : nothing}
      <div class="toolbar">
        ${
          preset.is_shipped
            ? nothing
            : html`<button
              class="button plain small"
              type="button"
              ?disabled=${isOff(app)}
              @click=${() => askDelete(app, preset.name)}
            >
              Delete<span class="hidden"> preset ${preset.name}</span>
            </button>`
        }
        <button
          class="button small"
          type="button"
          data-load
          ?disabled=${Boolean(preset.fault) || isOff(app)}
          @click=${() => askLoad(app, preset.name)}
        >
          Load…<span class="hidden"> preset ${preset.name}</span>
        </button>
      </div>
    </div>
  `;
}

/** @param {App} app @param {string} name */
async function askLoad(app, name) {
  try {
    const after = await app.api.request("router", "get_preset", { preset_name: name });
    askConfirmation(app, {
      title: `Load the preset ${words(name)}?`,
      text: changeList(changes(routes.snapshot(), after)),
      verb: "Load the preset",
      said: `Preset ${words(name)} loaded.`,
      work: () =>
        routes.change(app, `Load ${name}`, () =>
          app.api.request("router", "load_preset", { preset_name: name }),
        ),
    });
  } catch (err) {
    app.toasts.failed(err);
  }
}

const SIGNS = { new: "New", gone: "Removed", changed: "Changed" };
const CHIPS = { new: "good", gone: "bad", changed: "busy" };

/** List the differences. @param {import("./differences.js").Change[]} found */
export function changeList(found) {
  if (!found.length) return html`<span>Nothing changes: these routes are active already.</span>`;
  return html`
    <span>This replaces all routes at once. Moving outputs fade over; undo restores the
    routes.</span> <span class="change-list" data-changes>
      ${found.map(
        (change) => html`<span class="change">
          <span class="chip ${CHIPS[change.kind]}">${SIGNS[change.kind]}</span>
          <span><b>${change.id}</b> <small class="quiet">${change.what}</small></span>
        </span>`,
      )}
    </span>
  `;
}

/** @param {App} app @param {string} name */
function askDelete(app, name) {
  askConfirmation(app, {
    title: `Delete the preset ${words(name)}?`,
    text: "The active routes do not change. A deleted preset cannot be restored.",
    verb: "Delete the preset",
    isDanger: true,
    said: `Preset ${words(name)} deleted.`,
    work: async () => {
      await app.api.request("router", "delete_preset", { preset_name: name });
      await routes.refresh(app);
    },
  });
}

/** @param {App} app */
function openSave(app) {
  app.dialogs.preset = { name: "", refusal: "", isBusy: false };
  app.draw();
}

/** @param {App} app */
export function saveDialog(app) {
  const open = app.dialogs.preset;
  const close = () => ((app.dialogs.preset = null), app.draw());
  const save = async (/** @type {OpenPreset} */ open) => {
    Object.assign(open, { isBusy: true, refusal: "" });
    app.draw();
    try {
      await app.api.request("router", "save_preset", { preset_name: open.name });
      await routes.refresh(app);
      app.toasts.done(`Preset ${words(open.name)} saved.`);
      app.dialogs.preset = null;
    } catch (err) {
      Object.assign(open, { isBusy: false, refusal: sentenceOf(err) });
    }
    app.draw();
  };
  return dialog(
    open,
    close,
    (open) =>
      saveForm(
        app,
        open,
        close,
        onSubmit(() => save(open)),
      ),
    "Save routes as preset",
  );
}

/**
 * @param {App} app
 * @param {OpenPreset} open
 * @param {() => void} close
 * @param {(event: Event) => unknown} save
 */
function saveForm(app, open, close, save) {
  const isOver = routes.presets?.some((preset) => !preset.is_shipped && preset.name === open.name);
  return html`
    <form class="form" @submit=${save}>
      <h2>Save routes as preset</h2>
      <label class="entry ${open.refusal ? "is-wrong" : ""}">
        <span>Name</span>
        <input
          data-focus
          data-name
          required
          pattern="[A-Za-z0-9_\\-]{1,64}"
          autocomplete="off"
          autocapitalize="none"
          .value=${open.name}
          @input=${withValue((value) => ((open.name = value), app.draw()))}
        >
        <span class="hint">${
          isOver ? "Replaces the preset of this name." : "Letters, digits, _ and -"
        }</span>
        <span class="wrong" role="alert">${open.refusal}</span>
      </label>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button class="button primary" type="submit" ?disabled=${open.isBusy}>
          ${isOver ? "Replace preset" : "Save preset"}
        </button>
      </div>
    </form>
  `;
}
