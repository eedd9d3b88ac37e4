// Jogs one joint slowly while a button is held (dead-man), under exclusive control of its target:
// no other input drives it meanwhile. Losing the focus or the page releases the joint. The samples
// are inputs like any other: the router limits them, and when they stop for 300 ms, control and
// motion end. No drawing.

import { ExclusiveControl, onAbsence } from "./exclusive.js";

/** @typedef {import("../api.js").Api} Api */
/**
 * @typedef {{target: string, field: string, limits: [number, number]}} Joint with its active limits
 */

const PERIOD_MS = 40;
/** Share of the manifest's range per second. */
export const JOG_SPEEDS = { fine: 0.005, slow: 0.02, trial: 0.1 };
// The goal leads the joint by at most the motion of this time, so that a blocked joint winds up no
// distance, and little motion remains after the release.
const LEAD_S = 0.4;

/** @param {Joint} joint */
const keyOf = ({ target, field }) => `${target}.${field}`;

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

export class Jog {
  /** @type {keyof typeof JOG_SPEEDS} */ speed = "fine";
  /** The joint that moves now. @type {Joint | null} */ joint = null;
  /** Direction: 1 or -1; 0: no button is held. */ direction = 0;
  /** Position of each joint at its release, by "target.field". @type {Map<string, number>} */
  released = new Map();
  /**
   * Range that each joint was jogged through, by "target.field".
   * @type {Map<string, [number, number]>}
   */
  tried = new Map();
  /** Commanded position. */ goal = 0;
  /** Why exclusive control was refused. */ problem = "";
  #span = 0;
  #timer = 0;

  /**
   * @param {() => Api} api
   * @param {(joint: Joint) => string} refusal why the joint must not move now; empty: it may
   * @param {(joint: Joint) => number | null} position measured position
   * @param {() => void} changed requests a drawing
   */
  constructor(api, refusal, position, changed) {
    this.api = api;
    this.refusal = refusal;
    this.position = position;
    this.changed = changed;
    this.control = new ExclusiveControl(api);
    onAbsence(() => this.release());
  }

  /**
   * Move the joint until release() is called.
   * @param {Joint} joint
   * @param {number} direction
   * @param {number} span range of the joint in the manifest
   */
  hold(joint, direction, span) {
    if (this.direction) return;
    const at = this.position(joint);
    if (at === null || this.refusal(joint)) return;
    Object.assign(this, { joint, direction, goal: at, problem: "" });
    this.#span = span;
    void this.#begin(joint);
    this.changed();
  }

  /** Take control, then move; both only while the button is still held. @param {Joint} joint */
  async #begin(joint) {
    const refused = await this.control.take(joint.target, () => this.joint === joint);
    if (this.joint !== joint) return;
    if (refused) {
      this.problem = refused;
      this.release();
      return;
    }
    this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
    this.#tick();
  }

  /** Stop moving the joint, and let other inputs drive its target. */
  release() {
    const { joint } = this;
    if (!joint) return;
    clearInterval(this.#timer);
    this.#note(joint, this.released);
    Object.assign(this, { joint: null, direction: 0 });
    void this.control.release(joint.target);
    this.changed();
  }

  /** Note where the joint is. @param {Joint} joint @param {Map<string, number>} places */
  #note(joint, places) {
    const at = this.position(joint);
    if (at === null) return;
    const key = keyOf(joint);
    places.set(key, at);
    const [low, high] = this.tried.get(key) ?? [at, at];
    this.tried.set(key, [Math.min(low, at), Math.max(high, at)]);
  }

  /** Whether the joint limit in this direction is reached. */
  get isAtLimit() {
    if (!this.joint) return false;
    const [low, high] = this.joint.limits;
    return this.direction > 0 ? this.goal >= high : this.goal <= low;
  }

  #tick() {
    const joint = /** @type {Joint} */ (this.joint);
    const at = this.position(joint);
    if (at === null || this.refusal(joint)) {
      this.release();
      return;
    }
    const speed = JOG_SPEEDS[this.speed] * this.#span; // units per second
    const next = this.goal + (this.direction * speed * PERIOD_MS) / 1000;
    this.#note(joint, new Map());
    const near = within(next, at - speed * LEAD_S, at + speed * LEAD_S);
    // A joint outside its limits returns at the jog speed instead of being sent there at once.
    const [low, high] = joint.limits;
    this.goal = within(near, Math.min(low, at), Math.max(high, at));
    this.api().stream(joint.target, { [joint.field]: this.goal });
    this.changed();
  }
}
