// The mappings in the editor of a route: a table with one row a mapping, which opens for details.
// Not here: the details (mapping-fields.js, guidance.js), the curve (curve.js).

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { inputName, quantity, words } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { choiceEntry, textEntry } from "../entry.js";
import { ANY, byNumber, ESTOP, outputOf } from "../model.js";
import { curvePlot, outputAt, smallCurve } from "./curve.js";
import { draggable } from "./curve-points.js";
import { conditions, filterFields, filterText, responsePlot } from "./guidance.js";
import { mappingFields } from "./mapping-fields.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "robot" | "store">} App */
/** @typedef {import("./draft.js").RouteDraft} RouteDraft */
/** @typedef {import("../model.js").Mapping} Mapping */
/** @typedef {import("./mapping-fields.js").MakeEntry} MakeEntry */

const ESTOP_WORDS = "Emergency stop";

/** @param {App} app @param {RouteDraft} draft */
export function mappings(app, draft) {
  const { mapping } = draft.route;
  const isDirect = mapping === "passthrough";
  const choose = () => {
    draft.set({ mapping: "passthrough" });
    app.draw();
  };
  const list = () => {
    draft.set({ mapping: [] });
    draft.addMapping(inputs(draft)[0] ?? "channel_1", fields(app, draft)[0]?.[0] ?? ESTOP);
    app.draw();
  };
  return html`
    <section class="editor-mappings" aria-labelledby="mappings-title">
      <div class="section-head">
        <h2 id="mappings-title">Mappings</h2>
        ${
          isDirect
            ? nothing
            : html`<button
                class="button small"
                type="button"
                data-add
                ?disabled=${!mayOperate(app)}
                @click=${() => addMapping(app, draft, mapping)}
              >
                Add mapping
              </button>`
        }
        <fieldset class="segments" aria-label="Kind of mapping" ?disabled=${!mayOperate(app)}>
          <label>
            <input type="radio" name="direct" value="list" .checked=${!isDirect} @change=${list}>
            <span>Mapped</span>
          </label>
          <label>
            <input
              type="radio"
              name="direct"
              value="passthrough"
              .checked=${isDirect}
              @change=${choose}
            ><span>Passthrough</span>
          </label>
        </fieldset>
      </div>
      ${isDirect ? direct() : rows(app, draft, mapping)}
    </section>
  `;
}

const direct = () => html`
  <div class="card">
    <p>
      Commands that contain target and field pass through unchanged, within the limits of each
      field.
    </p>
  </div>
`;

/** @param {App} app @param {RouteDraft} draft @param {Mapping[]} list */
function addMapping(app, draft, list) {
  const [from, to] = [inputs(draft), fields(app, draft)];
  const used = new Set(list.map((each) => each.to));
  draft.addMapping(
    from[list.length % from.length] ?? "channel_1",
    (to.find(([name]) => !used.has(name)) ?? to[0])[0],
  );
  draft.opened.add(list.length);
  app.draw();
}

/** @param {App} app @param {RouteDraft} draft @param {Mapping[]} list */
function rows(app, draft, list) {
  return html`
    <datalist id="inputs">
      ${inputs(draft).map((name) => html`<option value=${name}></option>`)}
    </datalist>
    <div class="card map-table">
      ${
        list.length
          ? html`<div class="map-line map-head" aria-hidden="true">
              <span></span><span>Input</span><span>Output</span><span>Curve</span><span>Scale</span
              ><span>Filter</span><span class="right">Now</span>
            </div>`
          : html`<p>No mappings: this route moves nothing.</p>`
      }
      ${repeat(
        list,
        (_, index) => index,
        (mapping, index) => row(app, draft, mapping, index),
      )}
    </div>
  `;
}

/** Whether a row shows its details: opened, or with an error. */
const isOpen = (/** @type {RouteDraft} */ draft, /** @type {number} */ index) =>
  draft.opened.has(index) || draft.isWrong(index);

/** @param {App} app @param {RouteDraft} draft @param {Mapping} mapping @param {number} index */
function row(app, draft, mapping, index) {
  const line = draft.lines[index]?.line;
  const open = isOpen(draft, index);
  const toggle = () => {
    if (!draft.opened.delete(index)) draft.opened.add(index);
    app.draw();
  };
  return html`
    <section class="map-item" data-mapping=${index}>
      <button
        class="map-line ${draft.isWrong(index) ? "is-wrong" : ""}"
        type="button"
        data-open
        aria-expanded=${open}
        @click=${toggle}
      >
        <span class="map-mark" aria-hidden="true">${open ? "▾" : "▸"}</span>
        <b class="map-from">${inputName(mapping.from)}</b>
        <span class="map-to">${outputName(draft, mapping)}</span>
        ${smallCurve(line, draft.values[mapping.from])}
        <span class="quiet map-scale">${scaleText(mapping)}</span>
        <span class="quiet map-filter">${filterText(mapping)}</span>
        <span class="right map-live">${live(draft, mapping, index)}</span>
      </button>
      ${open ? details(app, draft, mapping, index) : nothing}
    </section>
  `;
}

/** @param {RouteDraft} draft @param {Mapping} mapping */
function outputName({ route }, mapping) {
  if (mapping.to === ESTOP) return ESTOP_WORDS;
  return route.output.target === ANY ? outputOf(route, mapping) : words(mapping.to);
}

/** @param {Mapping} mapping */
function scaleText({ mode, threshold, inverted, scale, offset }) {
  if (mode === "switch") return `${inverted ? "below" : "from"} ${threshold}`;
  const more = offset ? ` ${offset < 0 ? "−" : "+"} ${Math.abs(offset)}` : "";
  return `× ${inverted ? "−" : ""}${scale}${more}`;
}

/** @param {RouteDraft} draft @param {Mapping} mapping @param {number} index */
function live(draft, mapping, index) {
  const [line, value] = [draft.lines[index]?.line, draft.values[mapping.from]];
  if (!line || value === null || value === undefined) return html`<span class="quiet">–</span>`;
  const made = outputAt(line, value);
  if (mapping.to === ESTOP) return made ? "stop" : "no stop";
  return quantity(made, line.unit);
}

/** @param {App} app @param {RouteDraft} draft @param {Mapping} mapping @param {number} index */
function details(app, draft, mapping, index) {
  const set = (/** @type {Partial<Mapping>} */ more) => (draft.setMapping(index, more), app.draw());
  const edit = (/** @type {Parameters<RouteDraft["setConditions"]>[1]} */ change) => (
    draft.setConditions(index, change), app.draw()
  );
  const remove = () => (draft.removeMapping(index), app.draw());
  const entry = (/** @type {string} */ name, /** @type {string} */ label, hint = "") => {
    const key = `mapping[${index}].${name}`;
    return { key, label, hint, wrong: draft.wrong(key) };
  };
  const choices = fields(app, draft);
  const known = choices.some(([name]) => name === mapping.to);
  const line = draft.lines[index]?.line;
  return html`
    <fieldset class="map-card" ?disabled=${!mayOperate(app)}>
      <legend class="hidden">${mapping.from} to ${mapping.to}</legend>
      <div class="map-form">
        <div class="map-row">
          ${textEntry(
            entry("from", "Input", unseen(draft, mapping.from)),
            mapping.from,
            (from) => set({ from }),
            { list: "inputs" },
          )}
          ${choiceEntry(
            entry("to", "Output"),
            mapping.to,
            known ? choices : [[mapping.to, `${mapping.to} (unknown)`], ...choices],
            (to) => set(to === ESTOP ? { to, ...STOPPING } : { to }),
          )}
          ${choiceEntry(
            entry("mode", "Mode"),
            mapping.mode,
            [
              ["axis", "Axis"],
              ["switch", "Switch"],
            ],
            (mode) => set({ mode: /** @type {"axis"} */ (mode) }),
          )}
        </div>
        ${mappingFields(mapping, entry, set, draft.route.input.source)}
        ${
          mapping.to === ESTOP
            ? nothing
            : html`${filterFields(mapping, entry, set)}
              ${conditions(app, mapping, entry, edit, draft.wrong(`mapping[${index}].only_while`))}`
        }
        ${
          draft.wrong(`mapping[${index}]`)
            ? html`<p class="refusal">${draft.wrong(`mapping[${index}]`)}</p>`
            : nothing
        }
        <button class="button plain small" type="button" data-remove @click=${remove}>
          Remove mapping<span class="hidden"> ${mapping.from}</span>
        </button>
      </div>
      <div class="map-plots">
        ${curvePlot(line, draft.values[mapping.from], mapping.from, draggable(mapping, line, set))}
        ${line?.response.length ? responsePlot(line) : nothing}
      </div>
    </fieldset>
  `;
}

/** What an e-stop is not, as the router demands. @type {Partial<Mapping>} */
const STOPPING = { mode: "switch", filter: "none", rate_limit: null, only_while: [] };

/** Return the inputs that the source sends or the route uses. @param {RouteDraft} draft */
function inputs(draft) {
  const used =
    draft.route.mapping === "passthrough" ? [] : draft.route.mapping.map((each) => each.from);
  return [...new Set([...Object.keys(draft.source?.values ?? {}), ...used])].sort(byNumber);
}

/**
 * Say that the receiver does not send this channel; another receiver may, so it can be saved.
 * @param {RouteDraft} draft @param {string} name
 */
function unseen(draft, name) {
  if (draft.route.input.source !== "rc" || !draft.source?.isReporting) return "";
  const sent = Object.keys(draft.source.values).filter((each) => each.startsWith("channel_"));
  if (!sent.includes("channel_1") || sent.includes(name)) return ""; // disarmed: only switches
  return `The receiver sends no ${inputName(name)}: ${sent.length} channels now.`;
}

/**
 * Return the possible outputs of a mapping, with titles.
 * @param {App} app
 * @param {RouteDraft} draft
 * @returns {[string, string][]}
 */
function fields(app, draft) {
  const { target } = draft.route.output;
  const targets = app.robot?.targets ?? {};
  const named =
    target === ANY
      ? Object.keys(targets).flatMap((each) =>
          Object.keys(targets[each]).map((name) => `${each}.${name}`),
        )
      : Object.keys(targets[target] ?? {});
  return [
    ...named.map(
      (name) => /** @type {[string, string]} */ ([name, target === ANY ? name : words(name)]),
    ),
    [ESTOP, ESTOP_WORDS],
  ];
}
