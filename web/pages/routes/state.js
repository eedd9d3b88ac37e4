// What the page "Routes" knows and does: the robot's routes and presets, asked for again while the
// page is shown, and every change, kept so that it can be taken back. Not here: drawing.

import { mayOperate } from "../../lib/levels.js";
import { compact, same } from "./model.js";
import { History } from "./undo-history.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").Blending} Blending */
/** @typedef {import("./model.js").Route} Route */
/** @typedef {import("./model.js").RouteInfo} RouteInfo */
/** @typedef {import("./undo-history.js").Snapshot} Snapshot */

const LOOK_MS = 3000; // others change routes too
const LARGEST = 60_000; // of a message, with room for what stands around it

export class Routes {
  /** Null until the robot has answered. @type {RouteInfo[] | null} */ list = null;
  /** How rivals are combined. @type {Blending | null} */ blending = null;
  /** @type {{name: string, is_shipped: boolean, routes: number, fault: string}[] | null} */
  presets = null;
  /** Name of the preset that is in force. */
  loaded = "";
  /** Why the robot did not answer. */
  problem = "";
  isBusy = false;
  history = new History();
  #timer = 0;

  /** Ask now and from time to time. @param {App} app */
  start(app) {
    this.stop();
    this.#timer = setInterval(() => !this.isBusy && this.refresh(app), LOOK_MS);
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

  /** The routes as they are. @returns {Snapshot} */
  snapshot() {
    return { routes: (this.list ?? []).map((info) => info.route), blending: this.blending };
  }

  /**
   * Change something on the robot; what was before is kept. Throws what the robot refuses.
   * @param {App} app
   * @param {string} label what was done: "Delete rc_head"
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
    const label = `Switch ${id} ${enabled ? "on" : "off"}`;
    return this.change(app, label, () =>
      app.api.request("router", "set_route_enabled", { route_id: id, enabled }),
    );
  }

  /**
   * All routes by those of a text.
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
    if (step) await this.#move(app, step.after, step.before, () => this.history.back());
  }

  /** @param {App} app */
  async redo(app) {
    const step = this.history.next;
    if (step) await this.#move(app, step.before, step.after, () => this.history.forth());
  }

  /** @param {App} app @param {Snapshot} from @param {Snapshot} to @param {() => void} done */
  async #move(app, from, to, done) {
    await this.refresh(app);
    if (!same(this.snapshot(), from)) {
      this.history.forget();
      throw new Error("The routes were changed elsewhere since then, so nothing was taken back.");
    }
    await this.#alone(app, () => bring(app, from, to));
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

/** One route by itself where that is enough: the others are not touched. */
async function bring(
  /** @type {App} */ app,
  /** @type {Snapshot} */ from,
  /** @type {Snapshot} */ to,
) {
  const places = (/** @type {Snapshot} */ set) => set.routes.map((route) => route.id);
  const isSame = same(from.blending, to.blending);
  const different = to.routes.filter((route) => !from.routes.some((each) => same(each, route)));
  const gone = from.routes.filter((route) => !to.routes.some((each) => each.id === route.id));
  if (isSame && same(places(from), places(to)) && different.length === 1) {
    return app.api.request("router", "set_route", { route: different[0] });
  }
  if (isSame && !different.length && gone.length === 1) {
    return app.api.request("router", "delete_route", { route_id: gone[0].id });
  }
  // YAML, too
  const text = JSON.stringify({ routes: to.routes.map(compact), blending: to.blending });
  return importText(app, text, "the routes as they were", false);
}

/**
 * @param {App} app
 * @param {string} yaml
 * @param {string} name
 * @param {boolean} isTrial only tell what it holds
 * @returns {Promise<Snapshot>}
 */
export function importText(app, yaml, name, isTrial) {
  const params = { yaml, name: name.slice(0, 100), check_only: isTrial };
  if (new TextEncoder().encode(JSON.stringify(params)).length > LARGEST) {
    throw new Error(
      `${name} is too large for this page. Import it on the robot: saintctl route import FILE.`,
    );
  }
  return app.api.request("router", "import_routes", params);
}

/** The page has one; it outlives going to another page. */
export const routes = new Routes();

/** Nothing may be changed now. @param {App} app */
export const isOff = (app) => routes.isBusy || !mayOperate(app);
