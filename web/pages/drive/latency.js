// Measures two latencies: a request to the server and back (round trip), and from the first command
// until the base reports motion.

import { baseMotion, isBaseFresh } from "../../lib/robot/base.js";

/** @typedef {import("../../context.js").With<"api" | "now" | "robot" | "store" | "teleop">} App */

const PERIOD_MS = 1000;
const SAMPLES = 20;
const MOVING_MPS = 0.02; // above the noise of a robot at rest
const MOVE_TIMEOUT_MS = 3000; // another cause keeps the robot from moving

class Latency {
  /** Median of the last round trips. @type {number | null} */ roundTripMs = null;
  /** Longest of the last round trips. @type {number | null} */ worstMs = null;
  /** From command to motion. @type {number | null} */ moveMs = null;
  /** @type {number[]} */ #roundTrips = [];
  #timer = 0;
  /** Start of the motion that is measured already; Infinity: wait for rest. */ #measuredAt = 0;

  /** @param {App} app */
  start(app) {
    this.stop();
    this.#timer = setInterval(() => this.#measureRoundTrip(app), PERIOD_MS);
    this.#measureRoundTrip(app);
  }

  stop() {
    clearInterval(this.#timer);
    this.#roundTrips = [];
    this.roundTripMs = this.worstMs = this.moveMs = null;
  }

  /** @param {App} app */
  async #measureRoundTrip(app) {
    if (app.api.state !== "open" || document.hidden) return;
    const sentAt = performance.now();
    try {
      await app.api.request("system", "status");
    } catch {
      return; // a failed request is no measurement
    }
    this.#roundTrips = [...this.#roundTrips, performance.now() - sentAt].slice(-SAMPLES);
    const sorted = [...this.#roundTrips].sort((a, b) => a - b);
    this.roundTripMs = sorted[Math.floor(sorted.length / 2)];
    this.worstMs = sorted[sorted.length - 1];
  }

  /** Measure the time from command to motion; called at each drawing. @param {App} app */
  update(app) {
    const { movingSince } = app.teleop;
    const found = baseMotion(app);
    if (!found || !isBaseFresh(app)) return;
    const isTurning = Math.abs(found.turn ?? 0) > 2 * MOVING_MPS;
    const isMoving = Math.abs(found.speed ?? 0) > MOVING_MPS || isTurning;
    if (!movingSince) {
      // while the robot still rolls, the motion of a new command cannot be distinguished
      this.#measuredAt = isMoving ? Infinity : 0;
      return;
    }
    if (this.#measuredAt === movingSince || this.#measuredAt === Infinity) return;
    const passed = performance.now() - movingSince;
    if (isMoving) this.moveMs = passed;
    if (isMoving || passed > MOVE_TIMEOUT_MS) this.#measuredAt = movingSince;
  }
}

export const latency = new Latency();
