// The dialog that creates a mapping: choice of the route, scale, and a preview by the router.
// Nothing moves before the mapping is created.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../../lib/events.js";
import { fixed, inputName, quantity, sourceName, targetName, words } from "../../../lib/format.js";
import { dialog } from "../../../parts/dialog.js";
import { numberOf } from "../entry.js";
import {
  ANY,
  activeSources,
  allSources,
  ESTOP,
  freeId,
  isFor,
  newMapping,
  newRoute,
} from "../model.js";
import { routes } from "../state.js";

const PREVIEW_MS = 200;

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../model.js").Route} Route */
/** @typedef {import("../model.js").Mapping} Mapping */
/** @typedef {Route & {mapping: Mapping[]}} Fitting */
/** @typedef {import("../../../lib/types.js").PreviewField} PreviewField */
/** @typedef {{value?: number | null, made: PreviewField | null, isStop: boolean}} Shown */
/**
 * @typedef {object} OpenMapping
 * @property {import("../model.js").Source} source
 * @property {string} name
 * @property {string} field
 * @property {import("../../../lib/types.js").FieldDescription | undefined} spec
 * @property {Fitting[]} fitting routes that can hold the mapping
 * @property {string} chosen one of them; empty: a new route
 * @property {string} id of a new route, made of its name
 * @property {string} title of a new route, as typed
 * @property {Mapping} mapping
 * @property {Shown | null} shown
 * @property {string} refusal
 * @property {boolean} isBusy
 * @property {number} lookedAt
 */

/**
 * @param {App} app
 * @param {{source: string, name: string}} input
 * @param {string} field "head.pan" or the e-stop
 */
export function openMapping(app, input, field) {
  const known = routes.list ?? [];
  const source = allSources(known, activeSources(app.store.data.inputs)).find(
    (each) => each.name === input.source,
  );
  if (!source) return;
  const [target, name] = field === ESTOP ? [ANY, ESTOP] : split(field);
  const spec = app.robot?.targets?.[target]?.[name];
  const fitting = known.flatMap(({ route, fault }) => {
    const { mapping } = route;
    if (fault || mapping === "passthrough") return [];
    return route.output.target === target && isFor(route, source) ? [{ ...route, mapping }] : [];
  });
  const title = `${source.kind}_${field === ESTOP ? ESTOP : target}`;
  /** @type {OpenMapping} */
  const open = {
    source,
    name: input.name,
    field,
    spec,
    fitting,
    chosen: fitting[0]?.id ?? "",
    id: freeId(title, known),
    title,
    mapping: newMapping(input.name, name, field === ESTOP ? { mode: "switch" } : {}),
    shown: null,
    refusal: "",
    isBusy: false,
    lookedAt: 0,
  };
  app.dialogs.mapping = open;
  propose(app, open);
  app.draw();
}

/** Request the scale that makes the full range of the full stick. */
async function propose(/** @type {App} */ app, /** @type {OpenMapping} */ open) {
  const params = { source: open.source.kind, input: open.name, output: open.field };
  try {
    const { mapping } = await app.api.request("router", "propose_mapping", params);
    open.mapping = mapping;
  } catch (err) {
    open.refusal = /** @type {Error} */ (err).message;
  }
  await preview(app, open);
}

/** @param {string} field @returns {[string, string]} */
function split(field) {
  const dot = field.lastIndexOf(".");
  return [field.slice(0, dot), field.slice(dot + 1)];
}

/** Return the route with the new mapping. @param {OpenMapping} open @returns {Route} */
function routeWithMapping(open) {
  const found = open.fitting.find((route) => route.id === open.chosen);
  if (found) return { ...found, mapping: [...found.mapping, open.mapping] };
  const { kind, subject } = open.source;
  const target = open.field === ESTOP ? ANY : split(open.field)[0];
  const made = newRoute(open.id, { source: kind, subject: subject || ANY }, target, [open.mapping]);
  return open.field === ESTOP ? { ...made, priority: 1000 } : made; // overrides all routes
}

/**
 * Request a preview of the output for the present input.
 * @param {App} app
 * @param {OpenMapping} open
 */
async function preview(app, open) {
  open.lookedAt = performance.now();
  try {
    const value = activeSources(app.store.data.inputs).find(
      (each) => each.name === open.source.name,
    )?.values[open.name];
    const route = { ...routeWithMapping(open), id: "trial", mapping: [open.mapping] };
    const values = value === null || value === undefined ? {} : { [open.name]: value };
    const reply = await app.api.request("router", "preview_route", { route, values });
    open.shown = { value, made: reply.fields[0] ?? null, isStop: reply.estop };
    open.refusal = "";
  } catch (err) {
    open.refusal = /** @type {Error} */ (err).message;
  }
  if (app.dialogs.mapping === open) app.draw();
}

/** @param {App} app @param {OpenMapping} open @param {boolean} isEdited open the editor next */
async function create(app, open, isEdited) {
  const route = routeWithMapping(open);
  Object.assign(open, { isBusy: true, refusal: "" });
  try {
    await routes.save(app, route, `Map ${inputName(open.name)} to ${open.field}`);
    app.dialogs.mapping = null;
    const drives = `${inputName(open.name)} drives ${open.field}`;
    app.toasts.done(`Mapping created: ${drives} in route ${route.id}.`);
    if (isEdited) app.router.go(`/routes/${encodeURIComponent(route.id)}`);
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}

/** @param {App} app */
export function mappingDialog(app) {
  const open = app.dialogs.mapping;
  const close = () => ((app.dialogs.mapping = null), app.draw());
  return dialog(open, close, (open) => form(app, open, close), "Create a mapping");
}

/** @param {App} app @param {OpenMapping} open @param {() => void} close */
function form(app, open, close) {
  if (app.now - open.lookedAt > PREVIEW_MS) preview(app, open);
  const submit = onSubmit(() => create(app, open, false));
  const output =
    open.field === ESTOP
      ? "the emergency stop"
      : `${words(split(open.field)[1])} of ${targetName(split(open.field)[0])}`;
  return html`
    <form class="form" data-mapping @submit=${submit}>
      <h2>${inputName(open.name)} → ${open.field}</h2>
      <p class="quiet">${sourceName(open.source.name)} drives ${output}.</p>
      ${chooser(app, open)} ${open.spec ? scale(app, open) : nothing}
      <p class="map-now" data-now role="status">${now(open)}</p>
      <p class="refusal" role="alert">${open.refusal}</p>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button
          class="button"
          type="button"
          ?disabled=${open.isBusy}
          @click=${() => create(app, open, true)}
        >
          Create and edit…
        </button>
        <button class="button primary" type="submit" data-focus data-make ?disabled=${open.isBusy}>
          ${open.isBusy ? "Creating…" : "Create mapping"}
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {OpenMapping} open */
function chooser(app, open) {
  const choose = withValue((value) => ((open.chosen = value), app.draw()));
  return html`
    <label class="entry">
      <span>Route</span>
      <select data-route-choice .value=${open.chosen} @change=${choose}>
        ${open.fitting.map((route) => html`<option value=${route.id}>${route.id}</option>`)}
        <option value="">New route: ${open.id}</option>
      </select>
    </label>
    ${open.chosen ? nothing : nameField(app, open)}
  `;
}

/** The name of a new route, in any characters. @param {App} app @param {OpenMapping} open */
function nameField(app, open) {
  const name = withValue((value) => {
    Object.assign(open, { title: value, id: freeId(value, routes.list ?? []) });
    app.draw();
  });
  return html`
    <label class="entry">
      <span>Name of the new route</span>
      <input
        name="route-name"
        autocomplete="off"
        maxlength="60"
        aria-describedby="route-id"
        .value=${open.title}
        @input=${name}
      >
      <small class="hint" id="route-id">Identifier: <code>${open.id}</code></small>
    </label>
  `;
}

/** @param {App} app @param {OpenMapping} open */
function scale(app, open) {
  const change = withValue((value) => {
    open.mapping = { ...open.mapping, scale: numberOf(value === "" ? "" : Number(value)) };
    preview(app, open);
  });
  return html`
    <label class="entry">
      <span>Scale</span>
      <input type="number" step="any" .value=${String(open.mapping.scale)} @input=${change}>
      <span class="hint">Output in ${open.spec?.unit} at an input of 1.</span>
    </label>
  `;
}

/** @param {OpenMapping} open */
function now(open) {
  if (!open.shown) return "Loading…";
  const { value, made, isStop } = open.shown;
  if (value === null || value === undefined) return "No data from this input.";
  if (open.field === ESTOP)
    return isStop
      ? `Preview: ${fixed(value, 2)} would stop the robot.`
      : `Preview: ${fixed(value, 2)} does not stop the robot.`;
  const output = quantity(made?.value, made?.unit ?? "") + (made?.clamped ? ", its limit" : "");
  return `Preview: ${inputName(open.name)} ${fixed(value, 2)} commands ${output}.`;
}
