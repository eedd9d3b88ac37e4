// The judge of a failsafe drill: what the robot really did when its transmitter was switched off.
// It is given what the topics tell with the time when they told it, and never guesses: where the
// page could not see enough, it says so. No drawing, no network.

const ROUTER_MS = 120; // the router gives RC up after so long, whatever the receiver says
const RAMP_MS = 60; // velocities go to zero within
/** How exact the times are: states come every 20 to 100 ms, over a network. */
export const EXACT_MS = 120;
const WATCHED_MS = 2000; // so long after the loss the outputs are looked at
const SETTLED_MS = 1500; // by then nothing moves any more
const HIDDEN_MS = 5000; // the transmitter is off for so long, and its receiver says nothing
const FLOWING_MS = 75; // a frame at least is younger: before rcd tells of missing ones (80 ms)
const GAP_MS = 400; // states that came later than that tell too little
const STILL = 0.02; // a share of a field's range, or metres per second

/** @typedef {import("../../../lib/types.js").FieldDescription} FieldDescription */
/**
 * @typedef {object} Picture what the page knows at one moment
 * @property {number} now
 * @property {number} rcAt when `rc` came
 * @property {number} fieldsAt when `fields` came
 * @property {import("../../../lib/types.js").RcState | null} rc `told`: its newest sample says that
 * the signal is lost
 * @property {import("../../../lib/types.js").FieldState[]} fields
 * @property {boolean} isStopped
 * @property {number | null} speed measured, of the faster track, metres per second
 *
 * @typedef {object} Watched one output that the transmitter drove
 * @property {string} target
 * @property {string} field
 * @property {string} unit
 * @property {number} before
 * @property {number | null} after
 * @property {number | null} leftMs until the transmitter did not drive it any more
 * @property {number | null} restMs until it was zero
 * @property {string} policy
 * @property {string} source
 * @property {string} fault
 */

export class Drill {
  /** @type {"waiting" | "lost" | "judged"} */ phase = "waiting";
  /** @type {"pass" | "fail" | "unjudged" | ""} */ verdict = "";
  /** @type {string[]} */ reasons = [];
  /** @type {Map<string, Watched>} */ outputs = new Map();
  /** When the last good frame came; null before there was one. @type {number | null} */
  goodAt = null;
  /** Until the robot was told. @type {number | null} */ toldMs = null;
  /** Until the tracks really stood. @type {number | null} */ stoodMs = null;
  /** From the loss to the signal's return. @type {number | null} */ backMs = null;
  #heardAt = 0;
  #offAt = 0;
  #hasMoved = false;

  /**
   * @param {{action: string, timeout_ms: number}} rules
   * @param {(target: string, field: string) => FieldDescription | undefined} spec
   */
  constructor(rules, spec) {
    this.rules = rules;
    this.spec = spec;
  }

  /** By when the robot must have let go of the sticks. */
  get limitMs() {
    return Math.max(this.rules.timeout_ms, ROUTER_MS) + EXACT_MS;
  }

  /** The person says that the transmitter is off. @param {number} now */
  switchedOff(now) {
    this.#offAt = now;
  }

  /** @param {Picture} seen */
  take(seen) {
    if (this.phase === "judged") return this.#watchReturn(seen);
    const stalled = this.#heardAt ? seen.now - this.#heardAt : 0;
    if (Math.max(stalled, seen.now - seen.rcAt, seen.now - seen.fieldsAt) > GAP_MS) {
      return this.#cannot(
        "The robot's states came too late to measure: the network or this browser was busy.",
      );
    }
    this.#heardAt = seen.now;
    if (this.phase === "waiting") this.#wait(seen);
    else this.#follow(seen);
  }

  /** Nothing more can be seen. @param {string} why */
  interrupt(why) {
    if (this.phase !== "judged") this.#cannot(why);
  }

  /** @param {Picture} seen */
  #wait(seen) {
    const { rc, now, rcAt } = seen;
    if (seen.isStopped)
      return this.#cannot("The emergency stop was raised before the signal was lost.");
    if (typeof rc?.age_ms !== "number")
      return this.#cannot("The receiver's samples are not there any more.");
    const age = rc.age_ms + now - rcAt;
    if (!rc.failsafe && !rc.told && age < this.rules.timeout_ms) {
      this.goodAt = Math.max(this.goodAt ?? 0, rcAt - rc.age_ms);
      if (age < FLOWING_MS) this.#note(seen);
      if (this.#offAt && now - this.#offAt > HIDDEN_MS) this.#isHidden();
      return;
    }
    if (this.goodAt === null)
      return this.#cannot("There was no signal to lose: switch the transmitter on first.");
    this.phase = "lost";
    this.toldMs = now - this.goodAt;
    this.#follow(seen);
  }

  /** What the transmitter drives now. @param {Picture} seen */
  #note(seen) {
    this.outputs.clear();
    for (const each of seen.fields) {
      if (each.source !== "rc" || each.policy !== "live" || each.value === null) continue;
      const { target, field, unit, value } = each;
      this.outputs.set(`${target} ${field}`, {
        target,
        field,
        unit,
        before: value,
        after: null,
        leftMs: null,
        restMs: null,
        policy: "live",
        source: "rc",
        fault: "",
      });
    }
    this.#hasMoved = (seen.speed ?? 0) > STILL;
  }

  /** @param {Picture} seen */
  #follow(seen) {
    const goodAt = /** @type {number} */ (this.goodAt);
    const since = seen.now - goodAt;
    const fieldsMs = seen.fieldsAt - goodAt;
    for (const each of seen.fields) {
      const watched = this.outputs.get(`${each.target} ${each.field}`);
      if (!watched) continue;
      const drives = each.source === "rc" && each.policy === "live";
      const changedMs = each.changed_ms;
      if (!drives && watched.leftMs === null) watched.leftMs = Math.max(0, fieldsMs - changedMs);
      if (drives) watched.leftMs = null;
      if (each.value === 0 && watched.restMs === null) watched.restMs = fieldsMs;
      if (each.value !== 0) watched.restMs = null;
      if (since <= SETTLED_MS || watched.after === null) watched.after = each.value;
      else if (moves(each.value, watched.after, this.spec(each.target, each.field)))
        watched.fault = "it still moves";
      Object.assign(watched, { policy: each.policy, source: each.source });
    }
    if (this.#hasMoved && this.stoodMs === null && (seen.speed ?? 1) < STILL) this.stoodMs = since;
    if (this.rules.action !== "estop" && seen.isStopped) {
      return this.#cannot(
        "The emergency stop was raised meanwhile: it stopped the robot, not the loss of the " +
          "signal.",
      );
    }
    if (since >= WATCHED_MS) this.#judge(seen);
  }

  /** @param {Picture} seen */
  #judge(seen) {
    if (!this.outputs.size) {
      return this.#cannot(
        "The transmitter drove no output, so nothing had to be held. Try again with the " +
          "sticks away from the middle, armed, and the routes on.",
      );
    }
    if (this.rules.action === "estop" && !seen.isStopped)
      this.reasons.push("The emergency stop was not raised.");
    for (const each of this.outputs.values()) this.#check(each);
    if (this.#hasMoved && this.stoodMs === null)
      this.reasons.push("The tracks still turn, as they measure it themselves.");
    for (const each of this.outputs.values()) {
      if (each.fault) this.reasons.push(`${each.target} ${each.field}: ${each.fault}.`);
    }
    this.phase = "judged";
    this.verdict = this.reasons.length ? "fail" : "pass";
  }

  /** @param {Watched} each */
  #check(each) {
    const spec = this.spec(each.target, each.field);
    const isVelocity = spec?.kind === "velocity";
    const { action } = this.rules;
    if (each.leftMs === null) each.fault = "the transmitter still drives it";
    else if (each.leftMs > this.limitMs)
      each.fault =
        `it was let go after ${Math.round(each.leftMs)} ms, ` + `at most ${this.limitMs} are right`;
    else if (action !== "passthrough" && each.source) each.fault = `${each.source} has taken over`;
    else if (action === "passthrough") return;
    else if (isVelocity && each.after !== 0) each.fault = "it does not rest";
    else if (isVelocity && (each.restMs ?? Infinity) > this.limitMs + RAMP_MS + EXACT_MS) {
      each.fault = `it rested after ${Math.round(each.restMs ?? 0)} ms only`;
    } else if (!isVelocity && action === "hold" && moves(each.after, each.before, spec))
      each.fault = "it has moved on";
  }

  #isHidden() {
    this.phase = "judged";
    this.verdict = "fail";
    this.reasons = [
      "You say that the transmitter is off, but its receiver goes on sending good frames: " +
        "the robot cannot see the loss and would drive on.",
      'Set the receiver\'s own failsafe to "no pulses", or name a failsafe channel in rcd.yaml ' +
        "(failsafe: {channel: ...}).",
    ];
  }

  /** @param {Picture} seen */
  #watchReturn({ rc, now }) {
    if (
      this.backMs === null &&
      this.toldMs !== null &&
      this.goodAt !== null &&
      rc &&
      !rc.failsafe &&
      !rc.told &&
      (rc.age_ms ?? Infinity) < FLOWING_MS
    ) {
      this.backMs = now - this.goodAt;
    }
  }

  /** @param {string} why */
  #cannot(why) {
    this.phase = "judged";
    this.verdict = "unjudged";
    this.reasons = [why];
  }
}

/**
 * More than noise.
 * @param {number | null} value
 * @param {number | null} from
 * @param {{limits: number[]} | undefined} spec
 */
function moves(value, from, spec) {
  if (value === null || from === null) return false;
  const [low, high] = spec?.limits ?? [-1, 1];
  return Math.abs(value - from) > STILL * (high - low);
}
