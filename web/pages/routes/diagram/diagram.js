// The diagram of inputs, routes, outputs and the wires between them with their values. Narrow
// windows show a list instead (page.css). Not here: the wires (wires.js).

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { fixed, inputName, quantity } from "../../../lib/format.js";
import { reading } from "../../../parts/live.js";
import { isFor, outputOf, priority, STATES } from "../model.js";
import { view } from "../view.js";
import { inputCard } from "./inputs.js";
import { outputCards } from "./outputs.js";
import { measurePorts } from "./port-watch.js";
import { curve, port, wiring } from "./wires.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../model.js").RouteInfo} RouteInfo */
/** @typedef {import("../model.js").Source} Source */
/** @typedef {import("./wires.js").Wire} Wire */

/**
 * @param {App} app
 * @param {RouteInfo[]} routes to show
 * @param {Source[]} sources
 */
export function flow(app, routes, sources) {
  const { outputs } = app.store.data;
  const targets = app.robot?.targets ?? {};
  const drivable = Object.keys(targets).filter((name) => Object.keys(targets[name]).length);
  const { wires, states } = wiring(routes, sources, outputs, drivable);
  const isStale = !app.store.isFresh("outputs", app.now);
  return html`
    <div
      class="flow ${view.pick.input ? "is-picking" : ""}"
      data-flow
      ?data-stale=${isStale}
      ${measurePorts(app)}
    >
      ${lines(app, wires)}
      <div class="flow-column flow-inputs">
        <h3 class="flow-title">Inputs</h3>
        ${repeat(
          sources,
          (each) => each.name,
          (each) => inputCard(app, each, routes),
        )}
        ${sources.length ? nothing : html`<p class="quiet">No active inputs.</p>`}
      </div>
      <div class="flow-column flow-routes">
        <h3 class="flow-title">Routes</h3>
        ${repeat(
          bySource(routes, sources, drivable),
          (info) => info.route.id,
          (info) => pill(app, info, states.get(info.route.id) ?? "unused", wires),
        )}
        ${routes.length ? nothing : html`<p class="quiet">No routes.</p>`}
      </div>
      <div class="flow-column flow-outputs">
        <h3 class="flow-title">Outputs</h3>
        ${outputCards(app, drivable)}
      </div>
    </div>
  `;
}

/**
 * Sort routes by the position of their sources and targets, so that fewer wires cross.
 * @param {RouteInfo[]} routes
 * @param {Source[]} sources
 * @param {string[]} targets
 */
function bySource(routes, sources, targets) {
  const height = (/** @type {RouteInfo} */ { route }) => {
    const from = sources.findIndex((each) => isFor(route, each));
    const to = targets.indexOf(route.output.target);
    return from / sources.length + (to < 0 ? 1 : to / targets.length);
  };
  return [...routes].sort((a, b) => height(a) - height(b));
}

/**
 * @param {App} app
 * @param {RouteInfo} info
 * @param {import("../model.js").State} state
 * @param {Wire[]} wires
 */
function pill(app, { route }, state, wires) {
  const { word, chip, hint } = STATES[state];
  const hover = (/** @type {string} */ id) => () => ((view.hover = id), app.draw());
  return html`
    <a
      class="flow-route is-${state}"
      href="/routes/${encodeURIComponent(route.id)}"
      data-port=${port.route(route.id)}
      data-route=${route.id}
      data-state=${state}
      @pointerenter=${hover(route.id)}
      @pointerleave=${hover("")}
    >
      <span class="flow-route-name">${route.id}</span>
      <span class="flow-route-facts">
        <span class="chip ${chip}" title=${hint}><i class="dot"></i>${word}</span>
        <span class="quiet" title="Priority: the highest wins">${priority(route)}</span>
      </span>
      <span class="flow-arrows">${arrows(route, wires)}</span>
    </a>
  `;
}

/**
 * List the mappings, for windows too narrow for wires.
 * @param {RouteInfo["route"]} route
 * @param {Wire[]} wires
 */
function arrows(route, wires) {
  if (route.mapping === "passthrough") return html`<small>Passthrough</small>`;
  return route.mapping.map((mapping) => {
    const field = outputOf(route, mapping);
    const wire = wires.find((each) => each.route === route.id && each.field === field);
    const value = wire?.value ?? null;
    return html`<small>${inputName(mapping.from)} → ${field}
      <b>${value === null ? nothing : reading(fixed(value, 2))}</b></small>`;
  });
}

/** @param {App} app @param {Wire[]} wires */
function lines(app, wires) {
  const { geometry } = view;
  const { width, height } = geometry;
  const open = (/** @type {string} */ id) => () =>
    app.router.go(`/routes/${encodeURIComponent(id)}`);
  const drawn = wires.filter((wire) => geometry.line(wire));
  return svg`
    <svg class="flow-wires" viewBox="0 0 ${width || 1} ${height || 1}" aria-hidden="true">
      ${repeat(
        drawn,
        (wire) => wire.key,
        (wire) => svg`
          <g class=${look(wire)} data-wire=${wire.key} @click=${open(wire.route)}>
            <path class="flow-reach" d=${geometry.line(wire)?.d}/>
            <path class="flow-line" d=${geometry.line(wire)?.d}/>
          </g>
        `,
      )}
      ${repeat(
        drawn.filter((wire) => wire.field && wire.value !== null),
        (wire) => wire.key,
        (wire) => label(app, wire),
      )}
      ${draggedWire()}
    </svg>
  `;
}

/** @param {Wire} wire */
function look(wire) {
  const isDimmed = view.hover && view.hover !== wire.route;
  const classes = [wire.isWinner && "is-winner", isDimmed && "is-back"].filter(Boolean);
  return ["flow-wire", `is-${wire.state}`, ...classes].join(" ");
}

const LABEL_PX = 62; // labels of one field stand side by side

/** @param {App} app @param {Wire} wire */
function label(app, wire) {
  const at = view.geometry.line(wire);
  const dot = wire.field.lastIndexOf(".");
  const unit =
    app.robot?.targets?.[wire.field.slice(0, dot)]?.[wire.field.slice(dot + 1)]?.unit ?? "";
  const x = ((at?.x ?? 0) - wire.order * LABEL_PX).toFixed(1);
  return svg`
    <text
      class="flow-value ${wire.isWinner ? "is-winner" : ""}"
      x=${x}
      y=${(at?.y ?? 0).toFixed(1)}
    >
      ${reading(quantity(wire.value, unit))}
    </text>
  `;
}

/** Draw the wire from the dragged input to the pointer. */
function draggedWire() {
  const { drag, input } = view.pick;
  const from = input && view.geometry.at(port.input(input.source, input.name));
  if (!drag || !from) return nothing;
  return svg`<path
      class="flow-pulled ${drag.over ? "is-over" : ""}"
      d=${curve(from.x2, from.y, drag.x, drag.y)}
    />`;
}
