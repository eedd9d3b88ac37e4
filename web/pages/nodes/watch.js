// Requests the pins, history and activity of one node while its page is open, and subscribes to the
// states and commands of its roles. Not here: the state of all nodes (topic "nodes").

import { rolesOf } from "../../lib/robot/nodes.js";

const PERIOD_MS = 2000;
const ROLE_RATE_HZ = 10;
const OUTPUTS_RATE_HZ = 4;
const OWN_TOPICS = ["head", "arms", "tracks", "legs", "parts", "console", "outputs"];
const ACTIVITY_LINES = 20;

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").GpioStatus} GpioStatus */
/** @typedef {import("../../lib/types.js").LogEntry} LogEntry */
/** @typedef {import("../../lib/types.js").RoleFit} RoleFit */
/** @typedef {import("../../lib/types.js").NodeHistory} NodeHistory */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

export class NodeWatch {
  id = "";
  /** Header and buses. @type {GpioStatus | null} */ status = null;
  /** Why the last request failed. */ problem = "";
  /** Fit of each role, requested on the adoption page. @type {RoleFit[] | null} */
  fit = null;
  /** @type {NodeHistory | null} */ history = null;
  /** @type {LogEntry[] | null} */ activity = null;
  /** Number of the selected pin on the header. */ pin = 0;
  /** Whether it stays selected while the pointer is elsewhere. */ isPinKept = false;
  areAllPinsShown = false;
  #isFitting = false;
  #timer = 0;
  #turn = 0;

  /**
   * @param {App} app
   * @param {string} id
   * @param {boolean} isFitting also request the fit of each role
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
        isPinKept: false,
      };
      Object.assign(this, fresh);
    }
    this.#isFitting = isFitting;
    this.refresh(app);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#turn += 1;
  }

  /** Request everything now, and then periodically. @param {App} app */
  refresh(app) {
    this.stop();
    this.#poll(app, this.#turn);
  }

  /** @param {App} app */
  node(app) {
    const list = app.store.data.nodes?.nodes ?? [];
    return list.find((each) => each.node_id === this.id) ?? null;
  }

  /** @param {App} app @param {number} turn */
  async #poll(app, turn) {
    const node = this.node(app);
    if (app.api.state === "open" && node && !document.hidden) {
      this.#subscribe(app, node);
      await Promise.all([this.#loadHardware(app, node, turn), this.#loadHistory(app, turn)]);
    }
    if (turn !== this.#turn) return;
    app.draw();
    this.#timer = setTimeout(() => this.#poll(app, turn), node ? PERIOD_MS : PERIOD_MS / 10);
  }

  /** Subscribe to the states of the node's roles. @param {App} app @param {NodeInfo} node */
  #subscribe(app, node) {
    const topics = { ...app.api.topics };
    for (const topic of OWN_TOPICS) delete topics[topic];
    if (!this.#isFitting && rolesOf(node).length) {
      topics.outputs = OUTPUTS_RATE_HZ;
      topics.parts = ROLE_RATE_HZ; // a head, an arm or tracks may have parts too
      for (const { role } of rolesOf(node)) topics[role] = role === "console" ? 0 : ROLE_RATE_HZ;
    }
    app.api.subscribe(topics);
  }

  /** @param {App} app @param {NodeInfo} node @param {number} turn */
  async #loadHardware(app, node, turn) {
    if (node.state === "offline") return;
    const { api } = app;
    const params = { node_id: this.id };
    try {
      const found = this.#isFitting
        ? await api.request("management", "check_node", params)
        : { status: await api.request("management", "get_gpio_status", params), roles: this.fit };
      if (turn !== this.#turn) return;
      this.status = found.status;
      this.fit = found.roles;
      this.problem = "";
    } catch (err) {
      if (turn === this.#turn) this.problem = /** @type {Error} */ (err).message;
    }
  }

  /** @param {App} app @param {number} turn */
  async #loadHistory(app, turn) {
    if (this.#isFitting) return;
    try {
      const [history, log] = await Promise.all([
        app.api.request("management", "get_node_history", { node_id: this.id }),
        app.api.request("management", "get_activity_log", {
          about: this.id,
          limit: ACTIVITY_LINES,
        }),
      ]);
      if (turn === this.#turn) Object.assign(this, { history, activity: log.entries });
    } catch {
      // The old data stays; a banner reports a lost connection.
    }
  }
}
