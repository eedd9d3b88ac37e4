// What is asked about one node while its page is open: pins, history, activity, and the states of
// its roles. Not here: what everybody is told of all nodes (the topic "nodes").

import { rolesOf } from "../../lib/robot/nodes.js";

const PERIOD_MS = 2000;
const ROLE_RATE_HZ = 10;
const ROLE_TOPICS = ["head", "arms", "tracks", "console"];
const ACTIVITY = 20; // lines

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").GpioStatus} GpioStatus */
/** @typedef {import("../../lib/types.js").LogEntry} LogEntry */
/** @typedef {import("../../lib/types.js").RoleFit} RoleFit */
/** @typedef {import("../../lib/types.js").NodeHistory} NodeHistory */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

export class NodeWatch {
  id = "";
  /** Its header and buses. @type {GpioStatus | null} */ status = null;
  /** Why it did not answer. */ problem = "";
  /**
   * How each role would fit on it; asked for while it is being adopted.
   * @type {RoleFit[] | null}
   */
  fit = null;
  /** @type {NodeHistory | null} */ history = null;
  /** @type {LogEntry[] | null} */ activity = null;
  /** Which pin is looked at: its number on the header. */ pin = 0;
  areAllPinsShown = false;
  #isFitting = false;
  #timer = 0;
  #turn = 0;

  /**
   * @param {App} app
   * @param {string} id
   * @param {boolean} isFitting ask also which roles would fit
   */
  start(app, id, isFitting) {
    if (id !== this.id) {
      const fresh = {
        id,
        status: null,
        problem: "",
        fit: null,
        history: null,
        activity: null,
        pin: 0,
      };
      Object.assign(this, fresh);
    }
    this.#isFitting = isFitting;
    this.again(app);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  /** Ask now, and go on from here. @param {App} app */
  again(app) {
    this.stop();
    this.#ask(app, this.#turn);
  }

  /** @param {App} app */
  node(app) {
    const list = app.store.data.nodes?.nodes ?? [];
    return list.find((each) => each.node_id === this.id) ?? null;
  }

  /** @param {App} app @param {number} turn */
  async #ask(app, turn) {
    const node = this.node(app);
    if (app.api.state === "open" && node && !document.hidden) {
      this.#follow(app, node);
      await Promise.all([this.#probe(app, node, turn), this.#remember(app, turn)]);
    }
    if (turn !== this.#turn) return;
    app.draw();
    this.#timer = setTimeout(() => this.#ask(app, turn), node ? PERIOD_MS : PERIOD_MS / 10);
  }

  /** The states of its roles come by themselves. @param {App} app @param {NodeInfo} node */
  #follow(app, node) {
    const wanted = { ...app.api.topics };
    for (const topic of ROLE_TOPICS) delete wanted[topic];
    if (!this.#isFitting) {
      for (const { role } of rolesOf(node)) wanted[role] = role === "console" ? 0 : ROLE_RATE_HZ;
    }
    app.api.subscribe(wanted);
  }

  /** @param {App} app @param {NodeInfo} node @param {number} turn */
  async #probe(app, node, turn) {
    if (node.state === "offline") return;
    const { api } = app;
    const whose = { node_id: this.id };
    try {
      const found = this.#isFitting
        ? await api.request("management", "check_node", whose)
        : { status: await api.request("management", "get_gpio_status", whose), roles: this.fit };
      if (turn !== this.#turn) return;
      this.status = found.status;
      this.fit = found.roles;
      this.problem = "";
    } catch (err) {
      if (turn === this.#turn) this.problem = /** @type {Error} */ (err).message;
    }
  }

  /** @param {App} app @param {number} turn */
  async #remember(app, turn) {
    if (this.#isFitting) return;
    try {
      const [history, log] = await Promise.all([
        app.api.request("management", "get_node_history", { node_id: this.id }),
        app.api.request("management", "get_activity_log", { about: this.id, limit: ACTIVITY }),
      ]);
      if (turn === this.#turn) Object.assign(this, { history, activity: log.entries });
    } catch {
      // What is shown stays; that the connection is gone is said above the page.
    }
  }
}
