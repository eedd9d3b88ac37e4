// Moves one joint of an arm to a slider while the slider is held (dead-man), under exclusive
// control of the arm. Who has chosen to control the arm from this page keeps the control between
// two motions, until the page is hidden, left, or loses its connection. No drawing.

import { sentenceOf } from "../api.js";
import { onAbsence } from "./exclusive.js";

/** @typedef {import("../api.js").Api} Api */
/**
 * @typedef {object} PanelJoint
 * @property {string} target
 * @property {string} field
 * @property {[number, number]} limits
 * @property {number} rate units per second
 */

const PERIOD_MS = 40;
const LOCK_MS = 300; // while a slider is held: it ends control and motion when samples stop
const KEPT_MS = 3000; // between motions
const RENEW_MS = 1000;
const SHARE = 0.35; // of the joint's rate
const LEAD_S = 0.4; // the goal leads the joint by at most the motion of this time

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

export class ArmPanel {
  /** The joint that moves now. @type {PanelJoint | null} */ joint = null;
  /** Where its slider is. */ wanted = 0;
  /** Commanded position. */ goal = 0;
  /** The arm that this page keeps. */ kept = "";
  /** Why control was refused. */ problem = "";
  #timer = 0;
  #renewal = 0;
  /** @type {Promise<unknown>} */ #last = Promise.resolve();

  /**
   * @param {() => Api} api
   * @param {(target: string, field: string) => string} refusal why not; empty: it may move
   * @param {(target: string, field: string) => number | null} position measured
   * @param {() => void} changed requests a drawing
   */
  constructor(api, refusal, position, changed) {
    this.api = api;
    this.refusal = refusal;
    this.position = position;
    this.changed = changed;
    onAbsence(() => this.leave());
  }

  /**
   * Keep an arm from now on. `takeover` ends the control of another holder.
   * @param {string} target @param {boolean} takeover
   */
  async keep(target, takeover) {
    this.leave();
    this.problem = "";
    this.kept = target;
    this.problem = await this.#take(target, KEPT_MS, takeover);
    if (this.problem && this.kept === target) this.kept = "";
    clearInterval(this.#renewal);
    if (this.kept) this.#renewal = setInterval(() => void this.#renew(), RENEW_MS);
    this.changed();
  }

  async #renew() {
    if (!this.kept || this.joint) return;
    const target = this.kept;
    const refused = await this.#take(target, KEPT_MS, false);
    if (!refused || this.kept !== target) return;
    this.problem = refused;
    this.#forget();
    this.changed();
  }

  /** Move a joint to its slider until release() is called. @param {PanelJoint} joint
   * @param {number} wanted */
  hold(joint, wanted) {
    if (this.joint) {
      if (this.joint.target === joint.target && this.joint.field === joint.field)
        this.wanted = wanted;
      return;
    }
    const at = this.position(joint.target, joint.field);
    if (at === null || this.refusal(joint.target, joint.field)) return;
    Object.assign(this, { joint, wanted, goal: at, problem: "" });
    void this.#begin(joint);
    this.changed();
  }

  /** @param {PanelJoint} joint */
  async #begin(joint) {
    const refused = await this.#take(joint.target, LOCK_MS, false);
    if (this.joint !== joint) return;
    if (refused) {
      this.problem = refused;
      this.release();
      return;
    }
    this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
    this.#tick();
  }

  /** Stop the joint. An arm that the page keeps stays under its control. */
  release() {
    const { joint } = this;
    if (!joint) return;
    clearInterval(this.#timer);
    this.joint = null;
    void this.#free(joint.target);
    if (this.kept === joint.target) void this.#renew();
    this.changed();
  }

  /** Stop, and release the arm that the page keeps. */
  leave() {
    const { kept } = this;
    this.#forget();
    this.release();
    if (kept) void this.#free(kept);
    if (kept) this.changed();
  }

  #forget() {
    clearInterval(this.#renewal);
    this.kept = "";
  }

  #tick() {
    const joint = /** @type {PanelJoint} */ (this.joint);
    const at = this.position(joint.target, joint.field);
    if (at === null || this.refusal(joint.target, joint.field)) {
      this.release();
      return;
    }
    const speed = joint.rate * SHARE;
    const step = (speed * PERIOD_MS) / 1000;
    const next = this.goal + within(this.wanted - this.goal, -step, step);
    const near = within(next, at - speed * LEAD_S, at + speed * LEAD_S);
    const [low, high] = joint.limits;
    this.goal = within(near, Math.min(low, at), Math.max(high, at));
    this.api().stream(joint.target, { [joint.field]: this.goal });
  }

  /** @param {string} target @param {number} timeout @param {boolean} takeover
   * @returns {Promise<string>} */
  #take(target, timeout, takeover) {
    return this.#then(async () => {
      try {
        const params = { target, timeout_ms: timeout, takeover };
        await this.api().request("router", "take_control", params);
        return "";
      } catch (err) {
        return sentenceOf(err);
      }
    });
  }

  /** Without a reply the router ends control by itself. @param {string} target */
  #free(target) {
    return this.#then(async () => {
      if (this.api().state !== "open") return;
      await this.api()
        .request("router", "release_control", { target }, LOCK_MS)
        .catch(() => undefined);
    });
  }

  /** One request after the other. @template T @param {() => Promise<T>} work
   * @returns {Promise<T>} */
  #then(work) {
    const next = this.#last.then(work);
    this.#last = next;
    return next;
  }
}
