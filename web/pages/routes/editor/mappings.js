// The mappings in the editor of a route, each with its curve and the present input.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { inputName, words } from "../../../lib/format.js";
import { checkEntry, choiceEntry, numberEntry, numberOf, textEntry } from "../entry.js";
import { ANY, byNumber, ESTOP } from "../model.js";
import { curvePlot } from "./curve.js";

/** @typedef {import("../../../context.js").With<"draw" | "robot">} App */
/** @typedef {import("./draft.js").RouteDraft} RouteDraft */
/** @typedef {import("../model.js").Mapping} Mapping */

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
        <div class="segments" role="group" aria-label="Kind of mapping">
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
        </div>
      </div>
      ${isDirect ? direct() : cards(app, draft, mapping)}
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
function cards(app, draft, list) {
  const add = () => {
    const [from, to] = [inputs(draft), fields(app, draft)];
    const used = new Set(list.map((each) => each.to));
    draft.addMapping(
      from[list.length % from.length] ?? "channel_1",
      (to.find(([name]) => !used.has(name)) ?? to[0])[0],
    );
    app.draw();
  };
  return html`
    <datalist id="inputs">
      ${inputs(draft).map((name) => html`<option value=${name}></option>`)}
    </datalist>
    ${
      list.length
        ? nothing
        : html`<div class="card empty"><p>No mappings: this route moves nothing.</p></div>`
    }
    ${repeat(
      list,
      (_, index) => index,
      (mapping, index) => card(app, draft, mapping, index),
    )}
    <button class="button" type="button" data-add @click=${add}>Add mapping</button>
  `;
}

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

/** @param {App} app @param {RouteDraft} draft @param {Mapping} mapping @param {number} index */
function card(app, draft, mapping, index) {
  const set = (/** @type {Partial<Mapping>} */ more) => (draft.setMapping(index, more), app.draw());
  const remove = () => (draft.removeMapping(index), app.draw());
  const entry = (/** @type {string} */ name, /** @type {string} */ label, hint = "") => {
    const key = `mapping[${index}].${name}`;
    return { key, label, hint, wrong: draft.wrong(key) };
  };
  const isSwitch = mapping.mode === "switch";
  const choices = fields(app, draft);
  const known = choices.some(([name]) => name === mapping.to);
  return html`
    <fieldset class="card map-card" data-mapping=${index}>
      <legend class="hidden">${mapping.from} to ${mapping.to}</legend>
      <div class="map-form">
        <div class="map-row">
          ${textEntry(
            entry("from", "Input", unseen(draft, mapping.from)),
            mapping.from,
            (from) => set({ from }),
            {
              list: "inputs",
            },
          )}
          ${choiceEntry(
            entry("to", "Output"),
            mapping.to,
            known ? choices : [[mapping.to, `${mapping.to} (unknown)`], ...choices],
            (to) => set(to === ESTOP ? { to, mode: "switch" } : { to }),
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
        ${isSwitch ? switchFields(mapping, entry, set) : axisFields(mapping, entry, set)}
        <div class="map-row map-last">
          ${checkEntry(
            isSwitch ? "Inverted (on below the threshold)" : "Inverted",
            mapping.inverted,
            (inverted) => set({ inverted }),
          )}
          <button class="button plain small" type="button" data-remove @click=${remove}>
            Remove<span class="hidden"> ${mapping.from}</span>
          </button>
        </div>
        ${
          draft.wrong(`mapping[${index}]`)
            ? html`<p class="refusal">${draft.wrong(`mapping[${index}]`)}</p>`
            : nothing
        }
      </div>
      ${curvePlot(draft.lines[index]?.line, draft.values[mapping.from], mapping.from)}
    </fieldset>
  `;
}

/**
 * @typedef {(name: string, label: string, hint?: string) => import("../entry.js").Entry} MakeEntry
 */
/** @typedef {(more: Partial<Mapping>) => void} Change */

/** @param {Mapping} mapping @param {MakeEntry} entry @param {Change} set */
const axisFields = (mapping, entry, set) => html`
  <div class="map-row">
    ${numberEntry(entry("scale", "Scale"), mapping.scale, (scale) =>
      set({ scale: numberOf(scale) }),
    )}
    ${numberEntry(entry("offset", "Offset"), mapping.offset, (offset) =>
      set({ offset: numberOf(offset) }),
    )}
    ${numberEntry(
      entry("deadzone", "Dead zone"),
      mapping.deadzone,
      (deadzone) => set({ deadzone: numberOf(deadzone) }),
      {
        min: 0,
        max: 0.99,
        step: 0.01,
      },
    )}
  </div>
  <div class="map-row">
    ${choiceEntry(
      entry("curve", "Curve"),
      mapping.curve,
      [
        ["linear", "Linear"],
        ["exponential", "Exponential"],
      ],
      (curve) =>
        set({ curve, expo: curve === "exponential" && !mapping.expo ? 0.3 : mapping.expo }),
    )}
    ${
      mapping.curve === "exponential"
        ? numberEntry(
            entry("expo", "Expo"),
            mapping.expo,
            (expo) => set({ expo: numberOf(expo) }),
            {
              min: 0,
              max: 1,
              step: 0.05,
            },
          )
        : nothing
    }
    ${clampFields(mapping, entry, set)}
  </div>
`;

/** @param {Mapping} mapping @param {MakeEntry} entry @param {Change} set */
const switchFields = (mapping, entry, set) => html`
  <div class="map-row">
    ${numberEntry(
      entry("threshold", "Threshold (on at or above)"),
      mapping.threshold,
      (threshold) => set({ threshold: numberOf(threshold) }),
    )}
    ${
      mapping.to === ESTOP
        ? nothing
        : html`
          ${numberEntry(entry("scale", "Added when on"), mapping.scale, (scale) =>
            set({ scale: numberOf(scale) }),
          )}
          ${numberEntry(entry("offset", "Value when off"), mapping.offset, (offset) =>
            set({ offset: numberOf(offset) }),
          )}
        `
    }
  </div>
`;

/**
 * The clamp limits: none if both are empty; the router rejects a single one.
 * @param {Mapping} mapping
 * @param {MakeEntry} entry
 * @param {Change} set
 */
function clampFields(mapping, entry, set) {
  /** @type {[number | "", number | ""]} */
  const [low, high] = mapping.clamp ?? ["", ""];
  const put = (/** @type {number | ""} */ a, /** @type {number | ""} */ b) =>
    set({ clamp: a === "" && b === "" ? null : [numberOf(a), numberOf(b)] });
  const whole = entry("clamp", "").wrong;
  const ends = /** @type {const} */ ([
    ["clamp[0]", "Minimum"],
    ["clamp[1]", "Maximum"],
  ]).map(([name, label], index) => {
    const end = entry(name, label);
    return { ...end, wrong: end.wrong || (index ? whole : "") };
  });
  return html`
    ${numberEntry(ends[0], low, (value) => put(value, high), {
      placeholder: "limit",
    })}
    ${numberEntry(ends[1], high, (value) => put(low, value), {
      placeholder: "limit",
    })}
  `;
}
