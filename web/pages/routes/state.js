// State of the page "Routes": polls routes and presets while the page is shown, and applies changes
// with undo. Not here: drawing.

import { mayOperate } from "../../lib/levels.js";
import { compact, same } from "./model.js";
import { UndoHistory } from "./undo-history.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").Blending} Blending */
/** @typedef {import("./model.js").Route} Route */
/** @typedef {import("./model.js").RouteInfo} RouteInfo */
/** @typedef {import("./undo-history.js").Snapshot} Snapshot */

const PERIOD_MS = 3000; // other users change routes too
const LARGEST_BYTES = 60_000; // of a message, with room for its frame

export class Routes {
  /** Null until the first reply. @type {RouteInfo[] | null} */ list = null;
  /** How contenders are blended. @type {Blending | null} */ blending = null;
  /** @type {{name: string, is_shipped: boolean, routes: number, fault: string}[] | null} */
  presets = null;
  /** Name of the active preset. */
  loaded = "";
  /** Why the last request failed. */
  problem = "";
  isBusy = false;
  history = new UndoHistory().restore();
  #timer = 0;

  /** Request now and then periodically. @param {App} app */
  start(app) {
    this.stop();
    this.#timer = setInterval(() => !this.isBusy && this.refresh(app), PERIOD_MS);
    this.refresh(app);
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** @param {App} app */
  async refresh(app) {
    if (app.api.state !== "open") return;
    try {
      const [routes, presets] = await Promise.all([
        app.api.request("router", "list_routes"),
        app.api.request("router", "list_presets"),
      ]);
      if (!same(routes.routes, this.list)) this.list = routes.routes;
      this.blending = routes.blending;
      this.presets = presets.presets;
      this.loaded = presets.loaded;
      this.problem = "";
    } catch (err) {
      this.problem = /** @type {Error} */ (err).message;
    }
    app.draw();
  }

  /** @param {string} id */
  find(id) {
    return this.list?.find((info) => info.route.id === id) ?? null;
  }

  /** Return the present routes. @returns {Snapshot} */
  snapshot() {
    return { routes: (this.list ?? []).map((info) => info.route), blending: this.blending };
  }

  /**
   * Change the routes on the robot, and record an undo step. Throws the robot's error.
   * @param {App} app
   * @param {string} label of the step: "Delete rc_head"
   * @param {() => Promise<unknown>} work
   */
  async change(app, label, work) {
    const before = this.snapshot();
    await this.#alone(app, work);
    const after = this.snapshot();
    if (!same(before, after)) this.history.add({ label, before, after });
    app.draw();
  }

  /** @param {App} app @param {Route} route @param {string} [label] */
  save(app, route, label = `Save ${route.id}`) {
    return this.change(app, label, () => app.api.request("router", "set_route", { route }));
  }

  /** @param {App} app @param {string} id */
  remove(app, id) {
    return this.change(app, `Delete ${id}`, () =>
      app.api.request("router", "delete_route", { route_id: id }),
    );
  }

  /** @param {App} app @param {string} id @param {boolean} enabled */
  enable(app, id, enabled) {
    const label = `Turn ${id} ${enabled ? "on" : "off"}`;
    return this.change(app, label, () =>
      app.api.request("router", "set_route_enabled", { route_id: id, enabled }),
    );
  }

  /**
   * Replace all routes by those of a text.
   * @param {App} app
   * @param {string} yaml
   * @param {string} name of its file
   */
  async replace(app, yaml, name) {
    await this.change(app, `Import ${name}`, () => importText(app, yaml, name, false));
  }

  /** @param {App} app */
  async undo(app) {
    const step = this.history.last;
    if (step) await this.#move(app, step.after, step.before, () => this.history.undone());
  }

  /** @param {App} app */
  async redo(app) {
    const step = this.history.next;
    if (step) await this.#move(app, step.before, step.after, () => this.history.redone());
  }

  /** @param {App} app @param {Snapshot} from @param {Snapshot} to @param {() => void} done */
  async #move(app, from, to, done) {
    await this.refresh(app);
    if (!same(this.snapshot(), from)) {
      this.history.clear();
      throw new Error("Nothing has changed: the routes were changed elsewhere since that step.");
    }
    await this.#alone(app, () => restore(app, from, to));
    done();
    app.draw();
  }

  /** @param {App} app @param {() => Promise<unknown>} work */
  async #alone(app, work) {
    this.isBusy = true;
    app.draw();
    try {
      await work();
      await this.refresh(app);
    } finally {
      this.isBusy = false;
      app.draw();
    }
  }
}

/** Restore a set of routes; a single changed route is sent alone. */
async function restore(
  /** @type {App} */ app,
  /** @type {Snapshot} */ from,
  /** @type {Snapshot} */ to,
) {
  const ids = (/** @type {Snapshot} */ set) => set.routes.map((route) => route.id);
  const isSame = same(from.blending, to.blending);
  const different = to.routes.filter((route) => !from.routes.some((each) => same(each, route)));
  const gone = from.routes.filter((route) => !to.routes.some((each) => each.id === route.id));
  if (isSame && same(ids(from), ids(to)) && different.length === 1) {
    return app.api.request("router", "set_route", { route: different[0] });
  }
  if (isSame && !different.length && gone.length === 1) {
    return app.api.request("router", "delete_route", { route_id: gone[0].id });
  }
  // JSON is valid YAML
  const text = JSON.stringify({ routes: to.routes.map(compact), blending: to.blending });
  return importText(app, text, "the previous routes", false);
}

/**
 * @param {App} app
 * @param {string} yaml
 * @param {string} name
 * @param {boolean} isTrial check only
 * @returns {Promise<Snapshot>}
 */
export function importText(app, yaml, name, isTrial) {
  const params = { yaml, name: name.slice(0, 100), check_only: isTrial };
  if (new TextEncoder().encode(JSON.stringify(params)).length > LARGEST_BYTES) {
    throw new Error(
      `${name} is too large for this page. Import it on the robot: saintctl route import FILE.`,
    );
  }
  return app.api.request("router", "import_routes", params);
}

/** The page's state, kept while other pages are shown. */
export const routes = new Routes();

/** Whether nothing may be changed now. @param {App} app */
export const isOff = (app) => routes.isBusy || !mayOperate(app);
