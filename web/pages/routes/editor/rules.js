// What a route does against rivals and when its source falls silent, while it is edited.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { words } from "../../../lib/format.js";
import { choiceEntry, numberEntry } from "../entry.js";
import { ESTOP, place } from "../model.js";
import { routes } from "../state.js";

/** @typedef {import("../../../context.js").With<"draw" | "robot">} App */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./draft.js").Mode} Mode */

export const MODES = {
  priority: "The highest priority alone",
  blend: "The mean, by weight",
  additive: "The sum",
};
/** @type {Record<string, string>} */
const LOSS = {
  hold: "stays where it is",
  ramp_to_zero: "comes to rest within 60 ms",
  neutral: "goes to neutral",
  park: "goes to its parking place",
};

/** The fields that its mappings drive: "head.pan". @param {Draft} draft */
function driven({ route }) {
  if (route.mapping === "passthrough") return [];
  return [...new Set(route.mapping.map((mapping) => place(route, mapping)))].filter(
    (field) => field !== ESTOP,
  );
}

/** @param {App} app @param {Draft} draft */
export function rivals(app, draft) {
  const { route, modes } = draft;
  const mode = routes.blending?.mode ?? "priority";
  const fields = routes.blending?.fields ?? {};
  const all = MODES[mode].toLowerCase();
  const set = (/** @type {string} */ field) => (/** @type {Mode | ""} */ value) => {
    draft.modes = { ...modes, [field]: value };
    app.draw();
  };
  const choices = /** @type {[Mode | "", string][]} */ ([
    ["", "As everywhere"],
    ...Object.entries(MODES),
  ]);
  return html`
    <section class="card form" aria-labelledby="rivals-title">
      <h2 id="rivals-title">When others want the same output</h2>
      <div class="pair">
        ${driven(draft).map((field) =>
          choiceEntry(
            { key: `mode ${field}`, label: field, wrong: "", hint: `Everywhere: ${all}` },
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
            hint: "In a mean. Empty: its priority.",
          },
          route.weight,
          (value) => (draft.set({ weight: value === "" ? null : value }), app.draw()),
          { placeholder: "its priority", min: 0, max: 1000 },
        )}
      </div>
    </section>
  `;
}

/** @param {App} app @param {Draft} draft */
export function silence(app, draft) {
  const fields = driven(draft).map((field) => {
    const dot = field.lastIndexOf(".");
    return {
      field,
      loss: app.robot?.targets[field.slice(0, dot)]?.[field.slice(dot + 1)]?.on_loss,
    };
  });
  return html`
    <section class="card form" aria-labelledby="silence-title">
      <h2 id="silence-title">When the source falls silent</h2>
      ${numberEntry(
        {
          key: "timeout_ms",
          label: "It is lost after, in ms",
          wrong: draft.wrong("timeout_ms"),
          hint: "20 to 10 000. Empty: its source's time.",
        },
        draft.route.timeout_ms,
        (value) => (draft.set({ timeout_ms: value === "" ? null : value }), app.draw()),
        { placeholder: "its source's", step: 1, min: 20, max: 10_000 },
      )}
      ${
        fields.some((each) => each.loss)
          ? html`<p class="quiet">The next route takes over. If there is none, the role decides:</p>
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
