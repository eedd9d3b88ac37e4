// How long things take, measured and never guessed: a question to the server and back, and from the
// first command to the tracks' own report that they turn.

/** @typedef {import("../../context.js").With<"api" | "now" | "store" | "teleop">} App */

const PERIOD_MS = 1000;
const KEPT = 20;
const TURNS = 0.02; // metres per second: above the noise of a robot that stands
const GIVEN_UP_MS = 3000; // something else keeps it from moving

class Latency {
  /** Middle of the last answers. @type {number | null} */ answerMs = null;
  /** The longest of them. @type {number | null} */ worstMs = null;
  /** @type {number | null} */ moveMs = null;
  /** @type {number[]} */ #answers = [];
  #timer = 0;
  /** What began to be asked at that time is judged already. */ #judgedAt = 0;

  /** @param {App} app */
  start(app) {
    this.stop();
    this.#timer = setInterval(() => this.#ask(app), PERIOD_MS);
    this.#ask(app);
  }

  stop() {
    clearInterval(this.#timer);
    this.#answers = [];
    this.answerMs = this.worstMs = this.moveMs = null;
  }

  /** @param {App} app */
  async #ask(app) {
    if (app.api.state !== "open" || document.hidden) return;
    const asked = performance.now();
    try {
      await app.api.request("system", "status");
    } catch {
      return; // no answer is no time
    }
    this.#answers = [...this.#answers, performance.now() - asked].slice(-KEPT);
    const sorted = [...this.#answers].sort((a, b) => a - b);
    this.answerMs = sorted[Math.floor(sorted.length / 2)];
    this.worstMs = sorted[sorted.length - 1];
  }

  /** Does the robot do yet what is asked for? @param {App} app */
  look(app) {
    const { askedAt } = app.teleop;
    const { tracks } = app.store.data;
    if (!tracks || !app.store.isFresh("tracks", app.now)) return;
    const { left_velocity: left, right_velocity: right } = tracks;
    const turns = Math.max(Math.abs(left ?? 0), Math.abs(right ?? 0)) > TURNS;
    if (!askedAt) {
      if (turns)
        this.#judgedAt = Infinity; // it rolls: a new command cannot be told from the old
      else this.#judgedAt = 0;
      return;
    }
    if (this.#judgedAt === askedAt || this.#judgedAt === Infinity) return;
    const passed = performance.now() - askedAt;
    if (turns) this.moveMs = passed;
    if (turns || passed > GIVEN_UP_MS) this.#judgedAt = askedAt;
  }
}

export const latency = new Latency();
