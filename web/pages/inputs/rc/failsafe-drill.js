// Evaluates a failsafe drill: what the robot did when its transmitter was turned off. The input is
// the state of the topics with their times of arrival; without enough data there is no result. No
// drawing, no network.

const ROUTER_MS = 120; // time-out of RC in the router
const RAMP_MS = 60; // velocities ramp to zero within
/** Accuracy of the times: states arrive every 20 to 100 ms over a network. */
export const ACCURACY_MS = 120;
const OBSERVE_MS = 2000; // the outputs are observed for this time after the loss
const SETTLED_MS = 1500; // after this time nothing may move
const UNDETECTED_MS = 5000; // a transmitter that is off for so long must be reported as lost
const FLOWING_MS = 75; // the newest frame is younger, because rcd reports missing frames at 80 ms
const GAP_MS = 400; // a longer gap between states prevents a measurement
const STILL = 0.02; // a share of a field's range, or m/s

/** @typedef {import("../../../lib/types.js").FieldDescription} FieldDescription */
/**
 * @typedef {object} Snapshot what the page knows at one moment
 * @property {number} now
 * @property {number} rcAt time of arrival of `rc`
 * @property {number} fieldsAt time of arrival of `fields`
 * @property {import("../../../lib/types.js").RcState | null} rc with `told` if its newest sample
 * reports a lost signal
 * @property {import("../../../lib/types.js").FieldState[]} fields
 * @property {boolean} isStopped
 * @property {number | null} speed measured speed of the faster track in m/s
 *
 * @typedef {object} ObservedOutput one output that the transmitter drove
 * @property {string} target
 * @property {string} field
 * @property {string} unit
 * @property {number} before
 * @property {number | null} after
 * @property {number | null} leftMs until RC released control
 * @property {number | null} restMs until the value was zero
 * @property {string} policy
 * @property {string} source
 * @property {string} fault
 */

export class FailsafeDrill {
  /** @type {"waiting" | "lost" | "judged"} */ phase = "waiting";
  /** @type {"pass" | "fail" | "unjudged" | ""} */ verdict = "";
  /** @type {string[]} */ reasons = [];
  /** @type {Map<string, ObservedOutput>} */ outputs = new Map();
  /** Time of the last good frame; null before the first. @type {number | null} */
  goodAt = null;
  /** Until the loss was reported to the robot. @type {number | null} */ reportedMs = null;
  /** Until the tracks measured rest. @type {number | null} */ stoodMs = null;
  /** From the loss to the signal's return. @type {number | null} */ backMs = null;
  #receivedAt = 0;
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

  /** Time within which RC must release control. */
  get limitMs() {
    return Math.max(this.rules.timeout_ms, ROUTER_MS) + ACCURACY_MS;
  }

  /** Record that the user has turned the transmitter off. @param {number} now */
  switchedOff(now) {
    this.#offAt = now;
  }

  /** @param {Snapshot} seen */
  add(seen) {
    if (this.phase === "judged") return this.#watchReturn(seen);
    const stalled = this.#receivedAt ? seen.now - this.#receivedAt : 0;
    if (Math.max(stalled, seen.now - seen.rcAt, seen.now - seen.fieldsAt) > GAP_MS) {
      return this.#giveUp(
        "The robot's states arrived too late to measure: the network or this browser is busy.",
      );
    }
    this.#receivedAt = seen.now;
    if (this.phase === "waiting") this.#wait(seen);
    else this.#observe(seen);
  }

  /** End the drill without a result. @param {string} why */
  interrupt(why) {
    if (this.phase !== "judged") this.#giveUp(why);
  }

  /** @param {Snapshot} seen */
  #wait(seen) {
    const { rc, now, rcAt } = seen;
    if (seen.isStopped)
      return this.#giveUp("The emergency stop was raised before the signal was lost.");
    if (typeof rc?.age_ms !== "number")
      return this.#giveUp("The receiver no longer sends samples.");
    const age = rc.age_ms + now - rcAt;
    if (!rc.failsafe && !rc.told && age < this.rules.timeout_ms) {
      this.goodAt = Math.max(this.goodAt ?? 0, rcAt - rc.age_ms);
      if (age < FLOWING_MS) this.#recordDriven(seen);
      if (this.#offAt && now - this.#offAt > UNDETECTED_MS) this.#failUndetected();
      return;
    }
    if (this.goodAt === null)
      return this.#giveUp("There is no signal: turn the transmitter on first.");
    this.phase = "lost";
    this.reportedMs = now - this.goodAt;
    this.#observe(seen);
  }

  /** Record the outputs that RC drives now. @param {Snapshot} seen */
  #recordDriven(seen) {
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

  /** @param {Snapshot} seen */
  #observe(seen) {
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
        watched.fault = "still moves";
      Object.assign(watched, { policy: each.policy, source: each.source });
    }
    if (this.#hasMoved && this.stoodMs === null && (seen.speed ?? 1) < STILL) this.stoodMs = since;
    if (this.rules.action !== "estop" && seen.isStopped) {
      return this.#giveUp(
        "The emergency stop was raised during the drill, so the stop and not the lost signal " +
          "stopped the robot.",
      );
    }
    if (since >= OBSERVE_MS) this.#judge(seen);
  }

  /** @param {Snapshot} seen */
  #judge(seen) {
    if (!this.outputs.size) {
      return this.#giveUp(
        "The transmitter drove no output. Try again with a stick off centre, armed, and the " +
          "routes turned on.",
      );
    }
    if (this.rules.action === "estop" && !seen.isStopped)
      this.reasons.push("The emergency stop was not raised.");
    for (const each of this.outputs.values()) this.#check(each);
    if (this.#hasMoved && this.stoodMs === null)
      this.reasons.push("The tracks measure that they still turn.");
    for (const each of this.outputs.values()) {
      if (each.fault) this.reasons.push(`${each.target} ${each.field}: ${each.fault}.`);
    }
    this.phase = "judged";
    this.verdict = this.reasons.length ? "fail" : "pass";
  }

  /** @param {ObservedOutput} each */
  #check(each) {
    const spec = this.spec(each.target, each.field);
    const isVelocity = spec?.kind === "velocity";
    const { action } = this.rules;
    if (each.leftMs === null) each.fault = "still driven by RC";
    else if (each.leftMs > this.limitMs)
      each.fault = `released after ${Math.round(each.leftMs)} ms, limit ${this.limitMs} ms`;
    else if (action !== "passthrough" && each.source) each.fault = `${each.source} took over`;
    else if (action === "passthrough") return;
    else if (isVelocity && each.after !== 0) each.fault = "does not rest";
    else if (isVelocity && (each.restMs ?? Infinity) > this.limitMs + RAMP_MS + ACCURACY_MS) {
      each.fault = `at rest only after ${Math.round(each.restMs ?? 0)} ms`;
    } else if (!isVelocity && action === "hold" && moves(each.after, each.before, spec))
      each.fault = "did not hold its position";
  }

  #failUndetected() {
    this.phase = "judged";
    this.verdict = "fail";
    this.reasons = [
      "The transmitter is off, but its receiver still sends good frames: the robot cannot " +
        "detect the loss and would keep driving.",
      'Set the receiver\'s failsafe to "no pulses". If it has no such setting, set failsafe: ' +
        "{channel: ...} in /etc/saint/rcd.yaml as root (ssh: {root: true} in saint.yaml), then " +
        "restart the services.",
    ];
  }

  /** @param {Snapshot} seen */
  #watchReturn({ rc, now }) {
    if (
      this.backMs === null &&
      this.reportedMs !== null &&
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
  #giveUp(why) {
    this.phase = "judged";
    this.verdict = "unjudged";
    this.reasons = [why];
  }
}

/**
 * Whether two values differ by more than noise.
 * @param {number | null} value
 * @param {number | null} from
 * @param {{limits: number[]} | undefined} spec
 */
function moves(value, from, spec) {
  if (value === null || from === null) return false;
  const [low, high] = spec?.limits ?? [-1, 1];
  return Math.abs(value - from) > STILL * (high - low);
}
