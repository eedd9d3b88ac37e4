// The draft of a route in the editor: typed values, the router's preview and its errors. The router
// computes preview and curves. Not here: drawing.

import { activeSources, isFor, newMapping, same } from "../model.js";
import { routes } from "../state.js";
import { faultOf } from "./field-errors.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "now" | "store">} App */
/** @typedef {import("../../../lib/types.js").RoutePreview} Preview */
/** @typedef {import("../model.js").Route} Route */
/**
 * @typedef {import("../../../lib/types.js").MappingCurve & {low: number, high: number}} Line
 */
/** @typedef {import("../../../lib/types.js").Blending["mode"]} Mode */

const PREVIEW_MS = 120;
const RANGES = [1, 2, 5, 10, 20, 45, 90, 180, 360, 1000, 10_000];

export class RouteDraft {
  /** The saved route; null for a new one. @type {Route | null} */ base;
  /** @type {Route} */ route;
  /**
   * Changed blending modes of single fields.
   * @type {Record<string, Mode | "">}
   */
  modes = {};
  /** Error of the preview. @type {import("./field-errors.js").Fault | null} */
  fault = null;
  /** Error of the last save. @type {import("./field-errors.js").Fault | null} */ refusal = null;
  /** Preview of the outputs. @type {Preview | null} */ shown = null;
  /**
   * Curves of the mappings, by index.
   * @type {({key: string, line: Line | null} | undefined)[]}
   */
  lines = [];
  /** Inputs of the preview. @type {Record<string, number | null>} */ values = {};
  /** Source of the inputs. @type {import("../model.js").Source | null} */ source = null;
  isSaving = false;
  /** Rows that show their details. @type {Set<number>} */ opened = new Set();
  /** @type {Map<string, number>} */ #reach = new Map();
  #previewedAt = 0;
  #isLoading = false;

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

  /** The robot's route if another user has changed it meanwhile. @returns {Route | null} */
  get other() {
    const now = this.base && routes.find(this.base.id)?.route;
    return now && !same(now, this.base) ? now : null;
  }

  /** Discard the draft for the robot's route. @param {Route} route */
  reset(route) {
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

  /**
   * Change the conditions of a mapping.
   * @param {number} index
   * @param {(list: import("../model.js").Mapping["only_while"]) =>
   *   import("../model.js").Mapping["only_while"]} change
   */
  setConditions(index, change) {
    const { mapping } = this.route;
    if (mapping === "passthrough") return;
    this.setMapping(index, { only_while: change(mapping[index].only_while) });
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
    this.opened = new Set(
      [...this.opened].flatMap((at) => (at === index ? [] : [at > index ? at - 1 : at])),
    );
  }

  /** Whether something in this mapping is wrong. @param {number} index */
  isWrong(index) {
    const place = `mapping[${index}]`;
    return [this.refusal, this.fault].some((each) => each?.key.startsWith(place));
  }

  /** Return the error of a field; empty: none. @param {string} key */
  wrong(key) {
    return [this.refusal, this.fault].find((each) => each?.key === key)?.text ?? "";
  }

  /** Request a preview when it is due. @param {App} app */
  async preview(app) {
    this.#readInputs(app);
    if (this.#isLoading || app.now - this.#previewedAt < PREVIEW_MS || app.api.state !== "open")
      return;
    [this.#isLoading, this.#previewedAt] = [true, app.now];
    try {
      const given = Object.entries(this.values).flatMap(([name, value]) =>
        value === null ? [] : [/** @type {const} */ ([name, value])],
      );
      const params = { route: this.route, values: Object.fromEntries(given) };
      this.shown = await app.api.request("router", "preview_route", params);
      this.fault = null;
      await this.#loadCurves(app);
    } catch (err) {
      this.fault = faultOf(err);
    } finally {
      this.#isLoading = false;
    }
  }

  /** Read the newest inputs of this route's source. @param {App} app */
  #readInputs(app) {
    const found = activeSources(app.store.data.inputs).filter((each) => isFor(this.route, each));
    this.source = found.find((each) => each.isAlive) ?? found[0] ?? null;
    this.values = {};
    if (this.route.mapping === "passthrough" || !this.source?.isAlive) return;
    for (const { from } of this.route.mapping) {
      const value = this.source.values[from];
      if (value === undefined) continue;
      this.values[from] = value;
      this.#reach.set(from, Math.max(this.#reach.get(from) ?? 1, Math.abs(value ?? 0)));
    }
  }

  /** Request the curves of changed mappings. @param {App} app */
  async #loadCurves(app) {
    const { route } = this;
    if (route.mapping === "passthrough") return;
    for (const [index, mapping] of route.mapping.entries()) {
      const most = this.#reach.get(mapping.from) ?? 1;
      const high = RANGES.find((range) => range >= most) ?? most;
      const key = JSON.stringify([mapping, route.output.target, high]);
      if (this.lines[index]?.key === key) continue;
      const params = { route, index, low: -high, high };
      const line = await app.api.request("router", "preview_curve", params);
      this.lines[index] = { key, line: { ...line, low: -high, high } };
    }
  }

  /** @param {App} app @returns {Promise<boolean>} whether the robot accepted the route */
  async save(app) {
    const { base, route, modes } = this;
    if (route.id !== base?.id && routes.find(route.id)) {
      this.refusal = {
        key: "id",
        text: "This name is in use by another route.",
        whole: `Conflict: a route ${route.id} exists already. Choose another name.`,
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
          await app.api.request("router", "set_blending", { blending: withModes(modes) });
      });
      this.reset(routes.find(route.id)?.route ?? route);
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

/** @param {Record<string, Mode | "">} modes "": the default mode */
function withModes(modes) {
  const all = Object.entries({ ...routes.blending?.fields, ...modes });
  const set = all.flatMap(([field, mode]) => (mode ? [/** @type {const} */ ([field, mode])] : []));
  return { ...routes.blending, fields: Object.fromEntries(set) };
}
