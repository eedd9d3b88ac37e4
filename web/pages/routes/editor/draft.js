// A route while it is edited: what was typed, what the router makes of it now, what it refuses. The
// router is asked again and again, so the preview and the lines are its own. Not here: drawing.

import { heardSources, isFor, newMapping, same } from "../model.js";
import { routes } from "../state.js";
import { faultOf } from "./field-errors.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "now" | "store">} App */
/** @typedef {import("../../../lib/types.js").Preview} Preview */
/** @typedef {import("../model.js").Route} Route */
/**
 * @typedef {import("../../../lib/types.js").Curve & {low: number, high: number}} Line
 */
/** @typedef {import("../../../lib/types.js").Blending["mode"]} Mode */

const LOOK_MS = 120;
const RANGES = [1, 2, 5, 10, 20, 45, 90, 180, 360, 1000, 10_000];

export class Draft {
  /** The route as the robot has it; null for a new one. @type {Route | null} */ base;
  /** @type {Route} */ route;
  /**
   * How rivals for single fields are combined, where that was changed here.
   * @type {Record<string, Mode | "">}
   */
  modes = {};
  /** What the router says of it as it is. @type {import("./field-errors.js").Fault | null} */
  fault = null;
  /** Why it was not saved. @type {import("./field-errors.js").Fault | null} */ refusal = null;
  /** What the router makes of the inputs now. @type {Preview | null} */ shown = null;
  /**
   * Lines of the mappings, by their place.
   * @type {({key: string, line: Line | null} | undefined)[]}
   */
  lines = [];
  /** The inputs that the preview is of. @type {Record<string, number | null>} */ values = {};
  /** The source that they come from. @type {import("../model.js").Source | null} */ source = null;
  isSaving = false;
  /** @type {Map<string, number>} */ #reach = new Map();
  #lookedAt = 0;
  #isLooking = false;

  /** @param {Route} route @param {boolean} isNew */
  constructor(route, isNew) {
    this.base = isNew ? null : route;
    this.route = structuredClone(route);
  }

  get isNew() {
    return !this.base;
  }

  get isChanged() {
    return !same(this.route, this.base) || Object.keys(this.modes).length > 0;
  }

  /** The robot's route, when somebody else has changed it meanwhile. @returns {Route | null} */
  get other() {
    const now = this.base && routes.find(this.base.id)?.route;
    return now && !same(now, this.base) ? now : null;
  }

  /** @param {Route} route the robot's */
  take(route) {
    this.base = route;
    this.route = structuredClone(route);
    this.modes = {};
  }

  /** @param {Partial<Route>} more */
  set(more) {
    this.refusal = null;
    this.route = { ...this.route, ...more };
  }

  /** @param {number} index @param {Partial<import("../model.js").Mapping>} more */
  setMapping(index, more) {
    if (this.route.mapping === "passthrough") return;
    this.set({
      mapping: this.route.mapping.map((each, at) => (at === index ? { ...each, ...more } : each)),
    });
  }

  /** @param {string} from @param {string} to */
  addMapping(from, to) {
    const others = this.route.mapping === "passthrough" ? [] : this.route.mapping;
    this.set({ mapping: [...others, newMapping(from, to)] });
  }

  /** @param {number} index */
  removeMapping(index) {
    if (this.route.mapping === "passthrough") return;
    this.set({ mapping: this.route.mapping.filter((_, at) => at !== index) });
    this.lines = this.lines.filter((_, at) => at !== index);
  }

  /** What is at fault at a field; empty: nothing. @param {string} key */
  wrong(key) {
    return [this.refusal, this.fault].find((each) => each?.key === key)?.text ?? "";
  }

  /** Ask the router what it makes of the inputs, when it is time to. @param {App} app */
  async look(app) {
    this.#hear(app);
    if (this.#isLooking || app.now - this.#lookedAt < LOOK_MS || app.api.state !== "open") return;
    [this.#isLooking, this.#lookedAt] = [true, app.now];
    try {
      const given = Object.entries(this.values).flatMap(([name, value]) =>
        value === null ? [] : [/** @type {const} */ ([name, value])],
      );
      const ask = { route: this.route, values: Object.fromEntries(given) };
      this.shown = await app.api.request("router", "preview_route", ask);
      this.fault = null;
      await this.#draw(app);
    } catch (err) {
      this.fault = faultOf(err);
    } finally {
      this.#isLooking = false;
    }
  }

  /** The newest inputs of the source that this route is for. @param {App} app */
  #hear(app) {
    const heard = heardSources(app.store.data.inputs).filter((each) => isFor(this.route, each));
    this.source = heard.find((each) => each.isAlive) ?? heard[0] ?? null;
    this.values = {};
    if (this.route.mapping === "passthrough" || !this.source?.isAlive) return;
    for (const { from } of this.route.mapping) {
      const value = this.source.values[from];
      if (value === undefined) continue;
      this.values[from] = value;
      this.#reach.set(from, Math.max(this.#reach.get(from) ?? 1, Math.abs(value ?? 0)));
    }
  }

  /** Lines of mappings that have changed, one after the other. @param {App} app */
  async #draw(app) {
    const { route } = this;
    if (route.mapping === "passthrough") return;
    for (const [index, mapping] of route.mapping.entries()) {
      const most = this.#reach.get(mapping.from) ?? 1;
      const high = RANGES.find((range) => range >= most) ?? most;
      const key = JSON.stringify([mapping, route.output.target, high]);
      if (this.lines[index]?.key === key) continue;
      const ask = { route, index, low: -high, high };
      const line = await app.api.request("router", "preview_curve", ask);
      this.lines[index] = { key, line: { ...line, low: -high, high } };
    }
  }

  /** @param {App} app @returns {Promise<boolean>} whether the robot took it */
  async save(app) {
    const { base, route, modes } = this;
    if (route.id !== base?.id && routes.find(route.id)) {
      this.refusal = {
        key: "id",
        text: "There is a route of this name already.",
        whole: `There is a route ${route.id} already.`,
      };
      return false;
    }
    this.isSaving = true;
    try {
      await routes.change(app, `Save ${route.id}`, async () => {
        await app.api.request("router", "set_route", { route });
        if (base && base.id !== route.id)
          await app.api.request("router", "delete_route", { route_id: base.id });
        if (Object.keys(modes).length)
          await app.api.request("router", "set_blending", { blending: blended(modes) });
      });
      this.take(routes.find(route.id)?.route ?? route);
      this.refusal = null;
      return true;
    } catch (err) {
      this.refusal = faultOf(err);
      return false;
    } finally {
      this.isSaving = false;
      app.draw();
    }
  }
}

/** @param {Record<string, Mode | "">} modes an empty one: as all others */
function blended(modes) {
  const all = Object.entries({ ...routes.blending?.fields, ...modes });
  const told = all.flatMap(([field, mode]) => (mode ? [/** @type {const} */ ([field, mode])] : []));
  return { ...routes.blending, fields: Object.fromEntries(told) };
}
