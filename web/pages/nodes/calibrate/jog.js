// Moving one joint by hand, slowly, while a button is held. Nothing is sent unless something is
// held; whatever takes the page away from the hand lets go, and then it must be released before it
// counts again. The samples are inputs like any other: the router limits them, and lets go by
// itself when they stop. No drawing.

/** @typedef {import("../../../lib/api.js").Api} Api */
/**
 * @typedef {{target: string, field: string, limits: [number, number]}} Joint `limits`: those in
 * force
 */

const PERIOD_MS = 40; // the router lets go of a client after 300 ms
/** Share of the manifest's way in a second. */
export const PACES = { fine: 0.005, slow: 0.02 };
// The wish is never further from the joint than it goes in this time: what is blocked is not wound
// up, and little is left to go when the button is let go.
const AHEAD_S = 0.4;

/** @param {number} value @param {number} low @param {number} high */
const within = (value, low, high) => Math.min(high, Math.max(low, value));

export class Jog {
  /** @type {"fine" | "slow"} */ pace = "fine";
  /** What moves now. @type {Joint | null} */ joint = null;
  /** Which way: 1 or -1; 0: nothing is held. */ way = 0;
  /** Where the joint was when it was let go, by "target.field". @type {Map<string, number>} */
  left = new Map();
  /** Where the wish is. */ goal = 0;
  #span = 0;
  #timer = 0;

  /**
   * @param {() => Api} api
   * @param {(joint: Joint) => string} refusal why it must not move now; empty: it may
   * @param {(joint: Joint) => number | null} position where the joint is
   * @param {() => void} changed something to draw
   */
  constructor(api, refusal, position, changed) {
    this.api = api;
    this.refusal = refusal;
    this.position = position;
    this.changed = changed;
    addEventListener("blur", () => this.letGo());
    addEventListener("pagehide", () => this.letGo());
    document.addEventListener("visibilitychange", () => document.hidden && this.letGo());
  }

  /**
   * A button is held from now on.
   * @param {Joint} joint
   * @param {number} way
   * @param {number} span the whole way by the manifest
   */
  hold(joint, way, span) {
    if (this.way) return;
    const at = this.position(joint);
    if (at === null || this.refusal(joint)) return;
    Object.assign(this, { joint, way, goal: at });
    this.#span = span;
    this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
    this.#tick();
  }

  /** The hand, or what it needs, is gone. */
  letGo() {
    if (!this.joint) return;
    clearInterval(this.#timer);
    const at = this.position(this.joint);
    if (at !== null) this.left.set(`${this.joint.target}.${this.joint.field}`, at);
    Object.assign(this, { joint: null, way: 0 });
    this.changed();
  }

  /** It can go no further that way. */
  get isAtEnd() {
    if (!this.joint) return false;
    const [low, high] = this.joint.limits;
    return this.way > 0 ? this.goal >= high : this.goal <= low;
  }

  #tick() {
    const joint = /** @type {Joint} */ (this.joint);
    const at = this.position(joint);
    if (at === null || this.refusal(joint)) {
      this.letGo();
      return;
    }
    const speed = PACES[this.pace] * this.#span; // units a second
    const next = this.goal + (this.way * speed * PERIOD_MS) / 1000;
    const near = within(next, at - speed * AHEAD_S, at + speed * AHEAD_S);
    // One that stands outside its limits comes in as slowly, instead of being sent there at once.
    const [low, high] = joint.limits;
    this.goal = within(near, Math.min(low, at), Math.max(high, at));
    this.api().stream(joint.target, { [joint.field]: this.goal });
    this.changed();
  }
}
