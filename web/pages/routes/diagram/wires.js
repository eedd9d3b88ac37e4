// The wires of the diagram: their ends, values and lines. The ports are measured when the layout
// changes, not at each value.

import { claims, ESTOP, isFor, outputOf, stateOf } from "../model.js";

/** @typedef {import("../../../lib/types.js").OutputsState} OutputsState */

/** @typedef {import("../model.js").RouteInfo} RouteInfo */
/** @typedef {import("../model.js").Source} Source */
/** @typedef {import("../model.js").Claim} Claim */
/** @typedef {import("../model.js").State} State */
/**
 * @typedef {object} Wire
 * @property {string} key
 * @property {string} route
 * @property {string[]} from ports; the first drawn one counts
 * @property {string[]} to
 * @property {State} state of its route
 * @property {boolean} isWinner
 * @property {string} field that the wire drives; empty before the route
 * @property {number | null} value
 * @property {number} order among the wires of its field
 */

/**
 * Names of ports: a source's value, a source, both sides of a route, a field, a target.
 */
export const port = {
  /** @param {string} source @param {string} name */
  input: (source, name) => `in ${source} ${name}`,
  /** @param {string} source */
  source: (source) => `in ${source}`,
  /** @param {string} id */
  route: (id) => `route ${id}`,
  /** @param {string} field "head.pan" */
  output: (field) => `out ${field}`,
  /** @param {string} target */
  target: (target) => `out ${target}`,
};

/**
 * @param {RouteInfo[]} routes
 * @param {Source[]} sources
 * @param {OutputsState | undefined} outputs the topic
 * @param {string[]} targets of the robot
 * @returns {{wires: Wire[], states: Map<string, State>}}
 */
export function wiring(routes, sources, outputs, targets) {
  const byField = claims(outputs);
  /** @type {Map<string, [string, Claim][]>} */
  const byRoute = new Map();
  for (const [field, several] of byField) {
    for (const claim of several)
      byRoute.set(claim.route, [...(byRoute.get(claim.route) ?? []), [field, claim]]);
  }
  /** @type {Wire[]} */
  const wires = [];
  const states = new Map();
  for (const info of routes) {
    const own = byRoute.get(info.route.id) ?? [];
    const feeding = sources.filter((each) => isFor(info.route, each));
    const state = stateOf(
      info,
      own.map(([, claim]) => claim),
      feeding,
    );
    states.set(info.route.id, state);
    wires.push(...inWires(info, feeding, own, state), ...outWires(info, own, state, targets));
  }
  return { wires: ordered(wires), states };
}

/**
 * @param {RouteInfo} info
 * @param {Source[]} feeding
 * @param {[string, Claim][]} own
 * @param {State} state
 */
function inWires({ route }, feeding, own, state) {
  const to = [port.route(route.id)];
  return feeding.flatMap((source) => {
    const won = own
      .filter(([, claim]) => claim.isWinner && claim.source === source.name)
      .map(([field]) => field);
    const { mapping: mappings } = route;
    if (mappings === "passthrough") {
      const key = `${route.id} < ${source.name}`;
      return [wire(key, route.id, [port.source(source.name)], to, state, won.length > 0)];
    }
    const names = [...new Set(mappings.map((mapping) => mapping.from))];
    return names.map((name) => {
      const mine = mappings.filter((mapping) => mapping.from === name);
      const isWinner = mine.some((mapping) => won.includes(outputOf(route, mapping)));
      const from = [port.input(source.name, name), port.source(source.name)];
      return wire(`${route.id} < ${source.name} ${name}`, route.id, from, to, state, isWinner);
    });
  });
}

/**
 * @param {RouteInfo} info
 * @param {[string, Claim][]} own
 * @param {State} state
 * @param {string[]} targets
 */
function outWires({ route }, own, state, targets) {
  const from = [port.route(route.id)];
  // of several sources of one route, the winner counts
  const claimed = new Map([...own].reverse());
  if (route.mapping !== "passthrough") {
    const fields = [...new Set(route.mapping.map((mapping) => outputOf(route, mapping)))];
    return fields.map((field) => outWire(route.id, from, field, state, claimed.get(field)));
  }
  const driven = route.output.target === "*" ? targets : [route.output.target];
  const whole = driven.map((target) =>
    wire(`${route.id} > ${target}`, route.id, from, [port.target(target)], state, false),
  );
  return [
    ...whole,
    ...[...claimed].map(([field, claim]) => outWire(route.id, from, field, state, claim)),
  ];
}

/**
 * @param {string} id
 * @param {string[]} from
 * @param {string} field
 * @param {State} state
 * @param {Claim} [claim]
 */
function outWire(id, from, field, state, claim) {
  const isStop = field === ESTOP;
  const to = isStop
    ? [port.output(ESTOP)]
    : [port.output(field), port.target(field.slice(0, field.lastIndexOf(".")))];
  const isWinner = claim?.isWinner ?? (isStop && state === "active");
  const made = wire(`${id} > ${field}`, id, from, to, state, isWinner);
  return { ...made, field, value: claim?.value ?? null };
}

/**
 * @param {string} key
 * @param {string} route
 * @param {string[]} from
 * @param {string[]} to
 * @param {State} state
 * @param {boolean} isWinner
 * @returns {Wire}
 */
const wire = (key, route, from, to, state, isWinner) => ({
  key,
  route,
  from,
  to,
  state,
  isWinner,
  field: "",
  value: null,
  order: 0,
});

/**
 * Draw winners above the others, and place the labels of one field side by side.
 * @param {Wire[]} wires
 */
function ordered(wires) {
  const sorted = wires.sort((a, b) => Number(a.isWinner) - Number(b.isWinner));
  const counts = new Map();
  for (const each of [...sorted].reverse()) {
    if (!each.field || each.value === null) continue;
    each.order = counts.get(each.field) ?? 0;
    counts.set(each.field, each.order + 1);
  }
  return sorted;
}

/** Positions of the ports, and the lines between them. */
export class WireGeometry {
  /** @type {Map<string, {x: number, y: number, x2: number}>} */ #ports = new Map();
  /** @type {Map<string, {d: string, x: number, y: number} | null>} */ #lines = new Map();
  #drawn = "";
  width = 0;
  height = 0;

  /**
   * Whether the drawn ports have changed since the last call.
   * @param {string} drawn names of all drawn ports
   */
  isNew(drawn) {
    if (drawn === this.#drawn) return false;
    this.#drawn = drawn;
    return true;
  }

  /** @param {HTMLElement} area */
  measure(area) {
    const box = area.getBoundingClientRect();
    [this.width, this.height] = [Math.round(box.width), Math.round(box.height)];
    this.#ports.clear();
    this.#lines.clear();
    for (const element of area.querySelectorAll("[data-port]")) {
      const own = (element.querySelector(".pin") ?? element).getBoundingClientRect();
      const y = own.top + own.height / 2 - box.top;
      const isPin = own.width < 40;
      const middle = own.left + own.width / 2 - box.left;
      const ends = isPin ? [middle, middle] : [own.left - box.left, own.right - box.left];
      const name = /** @type {HTMLElement} */ (element).dataset.port ?? "";
      this.#ports.set(name, { x: ends[0], y, x2: ends[1] });
    }
  }

  /** @param {string} name */
  at(name) {
    return this.#ports.get(name);
  }

  /** Return the line, or null while an end is not drawn. @param {Wire} wire */
  line(wire) {
    const known = this.#lines.get(wire.key);
    if (known !== undefined) return known;
    const find = (/** @type {string[]} */ names) =>
      names.map((name) => this.#ports.get(name)).find(Boolean);
    const [from, to] = [find(wire.from), find(wire.to)];
    const line =
      from && to ? { d: curve(from.x2, from.y, to.x, to.y), x: to.x - 14, y: to.y - 5 } : null;
    this.#lines.set(wire.key, line);
    return line;
  }
}

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 */
export function curve(x1, y1, x2, y2) {
  const bend = Math.max(24, Math.abs(x2 - x1) * 0.5);
  const n = (/** @type {number} */ value) => value.toFixed(1);
  return `M${n(x1)} ${n(y1)}C${n(x1 + bend)} ${n(y1)} ${n(x2 - bend)} ${n(y2)} ${n(x2)} ${n(y2)}`;
}
