// The editor of one route; the router validates it while the user types. Not here: mappings
// (mappings.js), preview and errors (draft.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked } from "../../../lib/events.js";
import { inputName, quantity, targetName } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { checkEntry, choiceEntry, numberEntry, textEntry } from "../entry.js";
import { ANY, activeSources, freeId, KINDS, newMapping, newRoute, priority } from "../model.js";
import { isOff, routes } from "../state.js";
import { askDelete } from "../table.js";
import { RouteDraft } from "./draft.js";
import { mappings } from "./mappings.js";
import { rules } from "./rules.js";

/** @typedef {import("../../../context.js").App} App */
/** @typedef {import("../../../lib/types.js").Route} Route */
/** @typedef {import("../../../lib/types.js").RouteInput} RouteInput */

export const NEW = "+new"; // not a valid name of a route
const SOURCES = {
  rc: "RC transmitter",
  livelink: "LiveLink (face, character)",
  websocket: "Clients (browser, game pad, app)",
  autonomous: "Programs",
  leader: "Leader arms",
  safety: "Safety devices",
};
const TYPES = {
  "": "Any",
  face: "Face",
  animation: "Character",
  transform: "Object",
  camera: "Camera",
};
const COMMANDS = { move: "Move", home: "Home", gripper: "Gripper", drive: "Drive", stop: "Stop" };

export const editing = {
  draft: /** @type {RouteDraft | null} */ (null),
  /** Where the page was going when it was held back for unsaved changes. */
  leavingTo: "",
};

/**
 * Return the draft of the route in the address; null while the route is unknown.
 * @param {App} app
 * @param {string} id
 */
function draftOf(app, id) {
  const { draft } = editing;
  if (id === NEW) {
    if (!draft?.isNew) editing.draft = blank(app);
  } else if (draft?.base?.id !== id) {
    const found = routes.find(id);
    editing.draft = found ? new RouteDraft(found.route, false) : null;
  }
  const other = editing.draft?.other;
  if (other && editing.draft && !editing.draft.isChanged) editing.draft.reset(other);
  return editing.draft;
}

/** @param {App} app */
function blank(app) {
  const target = Object.keys(app.robot?.targets ?? {})[0] ?? "head";
  const field = Object.keys(app.robot?.targets?.[target] ?? {})[0] ?? "pan";
  const id = freeId("my_route", routes.list ?? []);
  return new RouteDraft(
    { ...newRoute(id, { source: "rc" }, target, [newMapping("channel_1", field)]), enabled: false },
    true,
  );
}

/** @param {App} app @param {string} id */
export function editor(app, id) {
  if (!routes.list || !app.robot)
    return html`<div class="card skeleton routes-wait" role="status">Loading…</div>`;
  const draft = draftOf(app, id);
  if (!draft) return missing(id);
  draft.preview(app);
  const problem = draft.refusal ?? draft.fault;
  const saved = routes.find(id);
  return html`
    <div class="page-head">
      <h1>
        <a class="routes-back" href="/routes">Routes</a> /
        ${draft.isNew ? "New route" : draft.base?.id}
      </h1>
      <div class="toolbar">
        ${
          saved && draft.base && !draft.isNew
            ? html`
              <button
                class="button plain"
                type="button"
                ?disabled=${isOff(app)}
                @click=${() => askDelete(app, saved)}
              >
                Delete…
              </button>
            `
            : nothing
        }
        ${verbs(app, draft)}
      </div>
    </div>
    ${draft.other ? changedElsewhere(app, draft) : nothing}
    <p class="notice routes-fault" role="alert" ?hidden=${!problem} data-fault>${problem?.whole}</p>
    <form class="editor" @submit=${onSubmit(() => save(app, draft))}>
      <fieldset ?disabled=${!mayOperate(app)}>
        <section class="card form route-head" aria-label="Basics, source and target">
          <div class="route-fields">${basics(app, draft)} ${ends(app, draft)}</div>
          ${
            draft.route.input.source === "websocket"
              ? commands(draft.route.input.command_types, (more) => setInput(app, draft, more))
              : nothing
          }
        </section>
      </fieldset>
      ${mappings(app, draft)} ${preview(draft)}
      <fieldset ?disabled=${!mayOperate(app)}>${rules(app, draft)}</fieldset>
    </form>
  `;
}

/** @param {string} id */
const missing = (id) => html`
  <div class="card empty">
    <h1>Route ${id} not found</h1>
    <p>It may have been deleted or renamed.</p>
    <a class="button" href="/routes">Show all routes</a>
  </div>
`;

/** @param {App} app @param {RouteDraft} draft */
function verbs(app, draft) {
  return html`
    <a class="button" href="/routes">${draft.isChanged ? "Cancel" : "Back"}</a>
    <button
      class="button primary"
      type="button"
      data-save
      ?disabled=${!draft.isChanged || isOff(app)}
      @click=${() => save(app, draft)}
    >
      ${draft.isSaving ? "Saving…" : draft.isChanged ? "Save" : "Saved"}
    </button>
  `;
}

/** @param {App} app @param {RouteDraft} draft */
export async function save(app, draft) {
  const before = draft.base?.id;
  if (!(await draft.save(app))) {
    document.querySelector("[aria-invalid=true]")?.scrollIntoView({ block: "center" });
    return false;
  }
  app.toasts.done(`Route ${draft.route.id} saved.`);
  if (before !== draft.route.id)
    history.replaceState(null, "", `/routes/${encodeURIComponent(draft.route.id)}`);
  if (before !== draft.route.id) app.router.follow();
  return true;
}

/** @param {App} app @param {RouteDraft} draft */
function changedElsewhere(app, draft) {
  const reset = () => (draft.other && draft.reset(draft.other), app.draw());
  const keep = () => ((draft.base = draft.other), app.draw());
  return html`
    <div class="notice routes-other" role="alert">
      <p>Another user has changed this route meanwhile.</p>
      <div class="actions">
        <button class="button small" type="button" @click=${reset}>Use their version</button>
        <button class="button small" type="button" @click=${keep}>Keep my version</button>
      </div>
    </div>
  `;
}

/** @param {App} app @param {RouteDraft} draft */
function basics(app, draft) {
  const { route } = draft;
  const set = (/** @type {Partial<Route>} */ more) => (draft.set(more), app.draw());
  return html`
    ${textEntry({ key: "id", label: "Name", wrong: draft.wrong("id") }, route.id, (id) =>
      set({ id }),
    )}
    ${numberEntry(
      { key: "priority", label: "Priority, 0 to 1000", wrong: draft.wrong("priority") },
      route.priority,
      (value) => set({ priority: value === "" ? null : value }),
      {
        placeholder: `${priority({ ...route, priority: null })} (source's)`,
        step: 1,
        min: 0,
        max: 1000,
      },
    )}
    <label class="switch route-on">
      <input
        type="checkbox"
        role="switch"
        .checked=${route.enabled}
        @change=${withChecked((isOn) => set({ enabled: isOn }))}
      >
      ${route.enabled ? "On: drives after saving" : "Off: drives nothing"}
    </label>
  `;
}

/** @param {App} app @param {RouteDraft} draft @param {Partial<RouteInput>} more */
function setInput(app, draft, more) {
  draft.set({ input: { ...draft.route.input, ...more } });
  app.draw();
}

/** @param {App} app @param {RouteDraft} draft */
function ends(app, draft) {
  const { route } = draft;
  const input = (/** @type {Partial<RouteInput>} */ more) => setInput(app, draft, more);
  const kind = (/** @type {RouteInput["source"]} */ source) =>
    input({ source, subject: ANY, type: "", command_types: [] });
  const targets = Object.entries(app.robot?.targets ?? {})
    .filter(([, fields]) => Object.keys(fields).length)
    .map(([name]) => name);
  /** @type {[string, string][]} */
  const choices = [
    ...targets.map((name) => /** @type {[string, string]} */ ([name, targetName(name)])),
    [ANY, "Any: set in each mapping"],
  ];
  return html`
    ${choiceEntry(
      { key: "input.source", label: "Source", wrong: draft.wrong("input.source") },
      route.input.source,
      KINDS.map((name) => [name, SOURCES[/** @type {"rc"} */ (name)]]),
      kind,
    )}
    ${route.input.source === "rc" ? nothing : subject(app, draft, input)}
    ${
      route.input.source === "livelink"
        ? choiceEntry(
            { key: "input.type", label: "Type", wrong: draft.wrong("input.type") },
            route.input.type,
            Object.entries(TYPES),
            (type) => input({ type }),
          )
        : nothing
    }
    ${choiceEntry(
      { key: "output.target", label: "Target", wrong: draft.wrong("output.target") },
      route.output.target,
      choices.some(([name]) => name === route.output.target)
        ? choices
        : [...choices, [route.output.target, `${route.output.target} (not on this robot)`]],
      (target) => (draft.set({ output: { target } }), app.draw()),
    )}
  `;
}

/** @param {App} app @param {RouteDraft} draft @param {(more: Partial<RouteInput>) => void} input */
function subject(app, draft, input) {
  const { source, subject } = draft.route.input;
  const found = activeSources(app.store.data.inputs).filter((each) => each.kind === source);
  const entry = {
    key: "input.subject",
    label: "Source name",
    wrong: draft.wrong("input.subject"),
  };
  return html`
    ${textEntry(entry, subject, (value) => input({ subject: value }), { list: "subjects" })}
    <datalist id="subjects">
      ${found.map((each) => html`<option value=${each.subject}></option>`)}
    </datalist>
  `;
}

/** @param {string[]} chosen @param {(more: Partial<RouteInput>) => void} input */
function commands(chosen, input) {
  const toggle = (/** @type {string} */ name) => (/** @type {boolean} */ isOn) =>
    input({ command_types: isOn ? [...chosen, name] : chosen.filter((each) => each !== name) });
  return html`
    <fieldset>
      <legend>Accepted commands <span class="quiet">(none selected: all)</span></legend>
      <div class="toolbar">
        ${Object.entries(COMMANDS).map(([name, words]) =>
          checkEntry(words, chosen.includes(name), toggle(name)),
        )}
      </div>
    </fieldset>
  `;
}

/** @param {RouteDraft} draft */
function preview(draft) {
  const { shown, route } = draft;
  if (route.mapping === "passthrough") return nothing;
  return html`
    <p
      class="route-preview"
      aria-label="Preview"
      data-preview
      ?data-stale=${!draft.source?.isAlive}
    >
      <span class="quiet">Preview, nothing moves:</span>
      ${(shown?.fields ?? []).map(
        (field) => html`
          <span
            >${field.target}.${field.field} <b>${quantity(field.value, field.unit)}</b>
            ${field.clamped ? html`<span class="chip warn">at its limit</span>` : nothing}</span
          >
        `,
      )}
      ${shown?.estop ? html`<span class="chip bad">Would stop the robot</span>` : nothing}
      ${
        shown?.missing?.length
          ? html`<span class="quiet">No data: ${shown.missing.map(inputName).join(", ")}.</span>`
          : nothing
      }
      ${
        shown?.unmet?.length
          ? html`<span class="quiet" data-unmet>Not met now: ${shown.unmet.join("; ")}.</span>`
          : nothing
      }
    </p>
  `;
}
