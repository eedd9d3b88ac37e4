// The page "Routes": the diagram, all routes, presets and blending; `/routes/<id>` edits one
// route.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { viewerNotice } from "../../lib/levels.js";
import { completeStep } from "../../lib/robot/first-steps.js";
import { blending, blendingDialog } from "./blending.js";
import { flow } from "./diagram/diagram.js";
import { mappingDialog } from "./diagram/mapping-dialog.js";
import { editing, editor, NEW } from "./editor/editor.js";
import { leaveDialog, mayLeave } from "./editor/unsaved-changes.js";
import { closeFace, openFace } from "./face/page-life.js";
import { faceView } from "./face/view.js";
import { wizard } from "./face/wizard.js";
import { exportRoutes, importDialog, openImport } from "./import-export.js";
import { activeSources, allSources, byNumber } from "./model.js";
import { presets, saveDialog } from "./presets.js";
import { isOff, routes } from "./state.js";
import { table } from "./table.js";
import { view } from "./view.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./model.js").Source} Source */

const FACE = "wizard/face";
// Whether a role reports, before its parts may follow a face.
const ROLE_TOPICS = { parts: 10, head: 10, arms: 10 };

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: (rest) => ({ inputs: 20, outputs: 20, ...(rest === FACE ? ROLE_TOPICS : {}) }),
  view: (app, rest) => html`${viewerNotice(app)} ${viewOf(app, rest)}`,
  dialogs: (app) => [
    mappingDialog(app),
    saveDialog(app),
    importDialog(app),
    blendingDialog(app),
    leaveDialog(app),
  ],
  open(app, rest) {
    completeStep("routes");
    if (!rest) editing.draft = null;
    view.pick.clear();
    routes.start(app);
    closeFace();
    if (rest === FACE) openFace(app);
  },
  linked: (app, rest) => void (rest === FACE && wizard.load(app)),
  close(app) {
    closeFace();
    routes.stop();
    editing.draft = null;
    Object.assign(app.dialogs, { mapping: null, preset: null, importing: null, blending: null });
  },
  mayLeave,
};

/** @param {App} app @param {string} rest */
function viewOf(app, rest) {
  if (rest === FACE) return faceView(app);
  return rest ? editor(app, rest) : overview(app);
}

const KINDS = {
  "": "All",
  rc: "RC",
  livelink: "LiveLink",
  websocket: "Clients",
  autonomous: "Programs",
};

/** @param {App} app */
function overview(app) {
  const { list } = routes;
  return html`
    <div class="page-head">
      <h1>Routes</h1>
      <div class="toolbar">${tools(app)}</div>
    </div>
    ${list ? shown(app, list) : waiting(app)}
  `;
}

/** @param {App} app */
function tools(app) {
  const { last, next } = routes.history;
  const tried = (/** @type {Promise<void>} */ work, /** @type {string} */ said) =>
    work.then(() => app.toasts.done(said)).catch((err) => app.toasts.failed(err));
  const undo = () => tried(routes.undo(app), `Undone: ${last?.label}.`);
  const redo = () => tried(routes.redo(app), `Redone: ${next?.label}.`);
  return html`
    <button
      class="button small"
      type="button"
      data-undo
      title=${last?.label ?? "Nothing to undo"}
      ?disabled=${!last || isOff(app)}
      @click=${undo}
    >
      Undo
    </button>
    <button
      class="button small"
      type="button"
      data-redo
      title=${next?.label ?? "Nothing to redo"}
      ?disabled=${!next || isOff(app)}
      @click=${redo}
    >
      Redo
    </button>
    <button class="button small" type="button" data-export @click=${() => exportRoutes(app)}>
      Export
    </button>
    <button
      class="button small"
      type="button"
      data-open-import
      ?disabled=${isOff(app)}
      @click=${() => openImport(app)}
    >
      Import…
    </button>
    <a class="button small" data-face-wizard href="/routes/${FACE}">Map a face…</a>
    <a class="button small primary" href="/routes/${NEW}">New route</a>
  `;
}

/** @param {App} app */
function waiting(app) {
  if (!routes.problem)
    return html`<div class="card skeleton routes-wait" role="status">Loading…</div>`;
  return html`
    <div class="card empty" role="alert">
      <h2>Loading the routes failed</h2>
      <p>${routes.problem}</p>
      <button class="button" type="button" @click=${() => routes.refresh(app)}>Try again</button>
    </div>
  `;
}

/** @param {App} app @param {import("./model.js").RouteInfo[]} list */
function shown(app, list) {
  const every = allSources(list, activeSources(app.store.data.inputs));
  const sources = every.filter((each) => !view.kind || each.kind === view.kind);
  const chosen = list.filter((info) => !view.kind || info.route.input.source === view.kind);
  return html`
    ${routes.problem ? html`<p class="notice" role="alert">${routes.problem}</p>` : nothing}
    <section class="routes-flow" aria-labelledby="flow-title">
      <div class="section-head">
        <h2 id="flow-title">Diagram</h2>
        ${filter(app)}
      </div>
      <p class="quiet">
        Drag an input onto an output to create a mapping, or select one after the other.
      </p>
      ${flow(app, chosen, sources)} ${picked(app)}
    </section>
    ${list.length ? table(app, chosen, every) : none()}
    <div class="routes-more-sections">${presets(app)} ${blending(app)}</div>
  `;
}

const none = () => html`
  <div class="card empty">
    <h2>No routes: nothing moves this robot</h2>
    <p>Load a preset below, or drag an input onto an output.</p>
  </div>
`;

/** @param {App} app */
function filter(app) {
  const choose = (/** @type {string} */ kind) => () => ((view.kind = kind), app.draw());
  return html`
    <div class="segments" role="group" aria-label="Show sources">
      ${Object.entries(KINDS).map(
        ([kind, words]) => html`<label>
          <input
            type="radio"
            name="kind"
            value=${kind}
            .checked=${view.kind === kind}
            @change=${choose(kind)}
          ><span>${words}</span>
        </label>`,
      )}
    </div>
  `;
}

/** Choose the output of the selected input by name. @param {App} app */
function picked(app) {
  const { input, drag } = view.pick;
  if (!input || drag) return nothing;
  const targets = app.robot?.targets ?? {};
  const fields = Object.keys(targets).flatMap((target) =>
    Object.keys(targets[target]).map((name) => `${target}.${name}`),
  );
  const connect = withValue((value) => value && view.pick.connect(app, value));
  const cancel = () => (view.pick.clear(), app.draw());
  return html`
    <div
      class="card picked"
      role="status"
      @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && cancel()}
    >
      <span>Output for <b>${input.name}</b>:</span>
      <select aria-label="Output" data-pick-output @change=${connect}>
        <option value="">…</option>
        ${fields.sort(byNumber).map((field) => html`<option value=${field}>${field}</option>`)}
        <option value="estop">Emergency stop</option>
      </select>
      <button class="button plain small" type="button" @click=${cancel}>Cancel</button>
    </div>
  `;
}
