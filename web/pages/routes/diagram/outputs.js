// The right side of the diagram: every field of the robot, its value, and the reasons for it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { quantity, sourceName, targetName, words } from "../../../lib/format.js";
import { activeContenders, policyText } from "../../../lib/robot/outputs.js";
import { bar } from "../../../parts/bar.js";
import { reading } from "../../../parts/live.js";
import { ESTOP } from "../model.js";
import { isFolded, view } from "../view.js";
import { fold } from "./inputs.js";
import { port } from "./wires.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../../../lib/types.js").FieldState} FieldState */

/** @param {App} app @param {string[]} targets */
export function outputCards(app, targets) {
  if (!app.robot) return html`<div class="card flow-card skeleton"></div>`;
  const fields = new Map();
  for (const each of app.store.data.outputs?.fields ?? [])
    fields.set(`${each.target}.${each.field}`, each);
  return [...targets.map((target) => card(app, target, fields)), stopCard(app)];
}

/** @param {App} app @param {string} target @param {Map<string, FieldState | undefined>} fields */
function card(app, target, fields) {
  const own = port.target(target);
  const id = `target-${target.replace(/\W+/g, "-")}`;
  const names = isFolded(own) ? [] : Object.keys(app.robot?.targets[target] ?? {});
  return html`
    <section class="card flow-card" data-target=${target} aria-labelledby=${id}>
      <header data-port=${own}>
        <i class="pin" aria-hidden="true"></i><h4 id=${id}>${fold(app, own, targetName(target))}
        </h4>
      </header>
      <ul>
        ${names.map(
          (name) => html`<li>${row(app, target, name, fields.get(`${target}.${name}`))}</li>`,
        )}
      </ul>
    </section>
  `;
}

/**
 * @param {App} app
 * @param {string} target
 * @param {string} name
 * @param {FieldState | undefined} data
 */
function row(app, target, name, data) {
  const field = `${target}.${name}`;
  const spec = app.robot?.targets[target]?.[name];
  if (!spec) return nothing;
  const { limits, neutral, unit } = spec;
  const isOpen = view.why === field;
  return html`
    <button
      class="flow-row flow-output is-${data?.policy ?? "unknown"}
        ${view.pick.drag?.over === field ? "is-over" : ""}"
      type="button"
      data-port=${port.output(field)}
      data-output=${field}
      aria-expanded=${view.pick.input ? nothing : isOpen}
      aria-label=${
        view.pick.input
          ? `Map it to ${words(name)} of ${targetName(target)}`
          : `${words(name)}: show reasons`
      }
      @click=${() => press(app, field)}
    >
      <i class="pin" aria-hidden="true"></i>
      <span class="flow-name">${words(name)}</span>
      <span class="track thin"><i ${bar(data?.value, limits[0], limits[1], neutral)}></i></span>
      <span class="flow-number">${reading(data ? quantity(data.value, unit) : "–")}</span>
    </button>
    ${isOpen ? why(data) : nothing}
  `;
}

/** @param {App} app @param {string} field */
function press(app, field) {
  if (!view.pick.connect(app, field)) view.why = view.why === field ? "" : field;
  app.draw();
}

/** @param {FieldState | undefined} data */
function why(data) {
  if (!data) return html`<p class="flow-why quiet">No data from the router.</p>`;
  return html`
    <ul class="flow-why" data-why>
      <li>
        ${
          data.winner
            ? html`Driven by <b>${data.winner}</b> from
              ${sourceName(data.source)}${data.clamped ? ", at its limit" : ""}`
            : policyText(data)
        }
      </li>
      ${activeContenders(data.rivals).map(
        (each) => html`<li>
          <b>${each.route}</b> from ${sourceName(each.source)}:
          ${quantity(each.value, data.unit)}, ${each.reason}
        </li>`,
      )}
    </ul>
  `;
}

/** @param {App} app */
function stopCard(app) {
  const isOver = view.pick.drag?.over === ESTOP;
  return html`
    <section class="card flow-card" data-target=${ESTOP} aria-label="Emergency stop">
      <button
        class="flow-row ${isOver ? "is-over" : ""}"
        type="button"
        data-port=${port.output(ESTOP)}
        data-output=${ESTOP}
        ?disabled=${!view.pick.input}
        @click=${() => view.pick.connect(app, ESTOP)}
      >
        <i class="pin" aria-hidden="true"></i><span class="flow-name">Emergency stop</span>
        <span class="flow-number">${app.store.data.outputs?.estop ? "stopped" : "ready"}</span>
      </button>
    </section>
  `;
}
