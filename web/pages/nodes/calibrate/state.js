// State of the page "Calibrate": the chosen joint, the active calibration, the drafts and the undo
// history. Not here: drawing (page-view.js), moving a joint (lib/control/jog.js).

import { Jog } from "../../../lib/control/jog.js";
import { whyNotMoved } from "../../../lib/control/why-not-moved.js";
import { roleName, words } from "../../../lib/format.js";
import { measured } from "../../../lib/robot/joints.js";
import { rolesOf, targetOf } from "../../../lib/robot/nodes.js";
import { askConfirmation } from "../../../parts/confirm.js";
import { describe, draftOf, isSame, request } from "./trim.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "robot" |
 *   "store">} App
 */
/** @typedef {import("../../../lib/types.js").CalibrationReply} CalibrationReply */
/** @typedef {import("./trim.js").Field} Field */
/** @typedef {import("./trim.js").Draft} Draft */

const PERIOD_MS = 2000;
const ROLE_RATE_HZ = 20;
const OUTPUTS_RATE_HZ = 10;

export class Calibration {
  id = "";
  /** "arms.left.joint_0"; empty: the first one. */ chosen = "";
  /** By target. @type {Map<string, CalibrationReply>} */ replies = new Map();
  /** Why the last request failed. */ problem = "";
  /** Unsaved values, by target and field. @type {Map<string, Draft>} */ drafts = new Map();
  /** Values before each change of this page, newest last. @type {Map<string, Field[]>} */
  before = new Map();
  /** Result of the last change. */ message = "";
  /** @type {Jog | null} */ jog = null;
  /** @type {App | null} */ #app = null;
  /** Topics of this page, with rates in Hz. @type {Record<string, number>} */
  #topics = {};
  #timer = 0;

  /** @param {App} app @param {string} id @param {string} chosen */
  start(app, id, chosen) {
    this.#app = app;
    this.jog ??= new Jog(
      () => app.api,
      (joint) => this.refusal(joint),
      (joint) => this.position(joint),
      app.draw,
    );
    this.jog.release();
    if (id !== this.id)
      Object.assign(this, {
        id,
        replies: new Map(),
        drafts: new Map(),
        before: new Map(),
        problem: "",
      });
    if (chosen !== this.chosen) this.message = "";
    this.chosen = chosen;
    clearTimeout(this.#timer);
    this.#poll();
  }

  stop() {
    if (!this.#app) return;
    this.jog?.release();
    clearTimeout(this.#timer);
    this.#timer = 0;
    const others = Object.entries(this.#app.api.topics).filter(([name]) => !(name in this.#topics));
    this.#app.api.subscribe(Object.fromEntries(others));
    this.#topics = {};
    this.#app = null;
  }

  node() {
    const list = this.#app?.store.data.nodes?.nodes ?? [];
    return list.find((each) => each.node_id === this.id) ?? null;
  }

  /**
   * Return all fields of the node's roles.
   * @returns {{key: string, target: string, field: Field}[]}
   */
  rows() {
    const targets = rolesOf(this.node()).map(targetOf);
    return targets.flatMap((target) =>
      (this.replies.get(target)?.fields ?? []).map((/** @type {Field} */ field) => ({
        key: `${target}.${field.field}`,
        target,
        field,
      })),
    );
  }

  /** @param {string} target @param {string} field */
  spec(target, field) {
    return this.#app?.robot?.targets?.[target]?.[field] ?? null;
  }

  /** @param {{target: string, field: string}} joint @returns {number | null} */
  position({ target, field }) {
    return measured({ target, field }, this.#app?.store.data ?? {});
  }

  /**
   * Return why this joint must not be moved now; empty: it may.
   * @param {{target: string, field: string}} joint
   */
  refusal(joint) {
    return this.#app ? whyNotMoved(this.#app, joint) : "No connection to the robot.";
  }

  /** @param {string} key @param {Field} field */
  draft(key, field) {
    return this.drafts.get(key) ?? draftOf(field);
  }

  /** @param {string} key @param {Field} field @param {Draft} draft */
  type(key, field, draft) {
    if (isSame(draft, draftOf(field))) this.drafts.delete(key);
    else this.drafts.set(key, draft);
    this.message = "";
    this.#app?.draw();
  }

  /** @param {string} target @param {Field} field @param {Draft} draft */
  save(target, field, draft) {
    this.#confirm(target, field, draft, () => this.#remember(`${target}.${field.field}`, field));
  }

  /** @param {string} target @param {Field} field */
  undo(target, field) {
    const past = this.before.get(`${target}.${field.field}`) ?? [];
    const last = past.at(-1);
    if (last) this.#confirm(target, field, draftOf(last), () => void past.pop());
  }

  /** @param {string} target @param {Field} field @param {Draft} draft @param {() => void} done */
  #confirm(target, field, draft, done) {
    const app = /** @type {App} */ (this.#app);
    const [role, instance = ""] = target.split(".");
    const name = roleName(role, instance);
    const joints = Object.entries(app.robot?.targets?.[target] ?? {}).filter(
      ([, spec]) => spec.kind === "position",
    );
    const moving = joints.map(([each]) => words(each).toLowerCase()).join(", ");
    askConfirmation(app, {
      title: `Calibrate ${words(field.field).toLowerCase()}?`,
      text: [
        `Active now: ${describe(field)}. When nothing moves, the role ${name.toLowerCase()}`,
        "restarts with the new values.",
        moving && "1 s later its joints without a command move slowly to neutral:",
        moving && `${moving}. Keep hands and objects away.`,
      ]
        .filter(Boolean)
        .join(" "),
      verb: "Calibrate",
      doing: "Saving…",

      work: async () => {
        const params = { target, ...request(field, draft) };
        const reply = await app.api.request("management", "calibrate", params);
        done();
        this.replies.set(target, reply);
        this.drafts.delete(`${target}.${field.field}`);
        this.jog?.released.delete(`${target}.${field.field}`);
        this.message = reply.message;
      },
    });
  }

  /** @param {string} key @param {Field} field */
  #remember(key, field) {
    this.before.set(key, [...(this.before.get(key) ?? []), field]);
  }

  async #poll() {
    const app = /** @type {App} */ (this.#app);
    const node = this.node();
    const turn = this.id;
    if (app.api.state === "open" && node && !document.hidden)
      await this.#load(app, rolesOf(node).map(targetOf));
    if (this.#app !== app || turn !== this.id) return;
    app.draw();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#poll(), node ? PERIOD_MS : PERIOD_MS / 10);
  }

  /** @param {App} app @param {string[]} targets */
  async #load(app, targets) {
    const roles = targets
      .map((target) => [target.split(".")[0], ROLE_RATE_HZ])
      .filter(([role]) => role !== "console");
    this.#topics = { outputs: OUTPUTS_RATE_HZ, ...Object.fromEntries(roles) };
    app.api.subscribe({ ...app.api.topics, ...this.#topics });
    try {
      for (const target of targets) {
        const reply = await app.api.request("management", "get_calibration", { target });
        const known = this.replies.get(target);
        if (!known || reply.revision >= known.revision) this.replies.set(target, reply);
      }
      this.problem = "";
    } catch (err) {
      this.problem = /** @type {Error} */ (err).message;
    }
  }
}
