// The editor's cards for blending with contenders and for the source's time-out.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { words } from "../../../lib/format.js";
import { choiceEntry, numberEntry } from "../entry.js";
import { ESTOP, outputOf } from "../model.js";
import { routes } from "../state.js";

/** @typedef {import("../../../context.js").With<"draw" | "robot">} App */
/** @typedef {import("./draft.js").RouteDraft} RouteDraft */
/** @typedef {import("./draft.js").Mode} Mode */

export const MODES = {
  priority: "Highest priority",
  blend: "Weighted average",
  additive: "Sum",
  greatest: "Greatest",
};
/** @type {[import("../model.js").Route["combine"], string][]} */
const COMBINING = [
  ["sum", "Sum"],
  ["mean", "Mean"],
  ["greatest", "Greatest"],
];
/** @type {Record<string, string>} */
const LOSS = {
  hold: "holds its position",
  ramp_to_zero: "ramps to zero within 60 ms",
  neutral: "moves to neutral",
  park: "moves to the park position",
};

/** Return the fields that the mappings drive: "head.pan". @param {RouteDraft} draft */
function driven({ route }) {
  if (route.mapping === "passthrough") return [];
  return [...new Set(route.mapping.map((mapping) => outputOf(route, mapping)))].filter(
    (field) => field !== ESTOP,
  );
}

/**
 * What is rarely changed, folded: blending and time-out.
 * @param {App} app
 * @param {RouteDraft} draft
 */
export const rules = (app, draft) => html`
  <details class="card route-rules" ?open=${isWrong(draft)}>
    <summary>
      Blending and time-out <span class="quiet">${ruleText(draft)}</span>
    </summary>
    ${blendingRules(app, draft)} ${timeoutRules(app, draft)}
  </details>
`;

const isWrong = (/** @type {RouteDraft} */ draft) =>
  ["combine", "weight", "timeout_ms"].some((key) => draft.wrong(key));

/** @param {RouteDraft} draft */
function ruleText({ route, modes }) {
  const mode = routes.blending?.mode ?? "priority";
  const own = Object.keys({ ...routes.blending?.fields, ...modes }).length
    ? "some outputs own"
    : "";
  const wait = route.timeout_ms ? `${route.timeout_ms} ms` : "source's time-out";
  const sum = route.combine === "sum" ? "" : `mappings by ${route.combine}`;
  return [MODES[mode].toLowerCase(), own, sum, wait].filter(Boolean).join(", ");
}

/** @param {App} app @param {RouteDraft} draft */
function blendingRules(app, draft) {
  const { route, modes } = draft;
  const mode = routes.blending?.mode ?? "priority";
  const fields = routes.blending?.fields ?? {};
  const all = MODES[mode].toLowerCase();
  const set = (/** @type {string} */ field) => (/** @type {Mode | ""} */ value) => {
    draft.modes = { ...modes, [field]: value };
    app.draw();
  };
  const choices = /** @type {[Mode | "", string][]} */ ([
    ["", "Default"],
    ...Object.entries(MODES),
  ]);
  return html`
    <section class="form" aria-labelledby="rivals-title">
      <h3 id="rivals-title">Blending with other inputs</h3>
      <div class="pair">
        ${choiceEntry(
          {
            key: "combine",
            label: "Mappings to one output",
            wrong: draft.wrong("combine"),
            hint: "Greatest: the one farthest from rest",
          },
          route.combine,
          COMBINING,
          (combine) => (draft.set({ combine }), app.draw()),
        )}
        ${driven(draft).map((field) =>
          choiceEntry(
            { key: `mode ${field}`, label: field, wrong: "", hint: `Default: ${all}` },
            modes[field] ?? fields[field] ?? "",
            choices,
            set(field),
          ),
        )}
        ${numberEntry(
          {
            key: "weight",
            label: "Weight",
            wrong: draft.wrong("weight"),
            hint: "Weight when blending. Empty: the route's priority.",
          },
          route.weight,
          (value) => (draft.set({ weight: value === "" ? null : value }), app.draw()),
          { placeholder: "priority", min: 0, max: 1000 },
        )}
      </div>
    </section>
  `;
}

/** @param {App} app @param {RouteDraft} draft */
function timeoutRules(app, draft) {
  const fields = driven(draft).map((field) => {
    const dot = field.lastIndexOf(".");
    return {
      field,
      loss: app.robot?.targets[field.slice(0, dot)]?.[field.slice(dot + 1)]?.on_loss,
    };
  });
  return html`
    <section class="form" aria-labelledby="timeout-title">
      <h3 id="timeout-title">When the source times out</h3>
      ${numberEntry(
        {
          key: "timeout_ms",
          label: "Time-out, ms",
          wrong: draft.wrong("timeout_ms"),
          hint: "20 to 10 000. Empty: the source's time-out.",
        },
        draft.route.timeout_ms,
        (value) => (draft.set({ timeout_ms: value === "" ? null : value }), app.draw()),
        { placeholder: "source's", step: 1, min: 20, max: 10_000 },
      )}
      ${
        fields.some((each) => each.loss)
          ? html`<p class="quiet">The next route takes over; without one, the role's policy:</p>
            <dl class="facts-list">
              ${fields.map(
                ({ field, loss }) =>
                  html`
                    <dt>${field}</dt><dd>${LOSS[loss ?? ""] ?? words(loss ?? "")}
                    </dd>
                  `,
              )}
            </dl>`
          : nothing
      }
    </section>
  `;
}
