// State of the page "Arms": masters, sequences and parts as last requested. Not here: drawing.

import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").MasterInfo} MasterInfo */
/** @typedef {import("../../lib/types.js").SequenceList} SequenceList */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

const LOOK_MS = 1000;
const RESTART_MS = 10_000; // by then router and pages have started again
const PAUSE_MS = 100;

export class ArmsState {
  /** @type {MasterInfo[]} */ masters = [];
  /** @type {SequenceList | null} */ sequences = null;
  /** Parts of the arms, and the version of the robot. @type {RobotPart[] | null} */ parts = null;
  version = 0;
  /** What the node of each role reports once the role follows. @type {Record<string, string>} */
  configurations = {};
  /** Why the last request failed. */ problem = "";
  isBusy = false;
  #timer = 0;

  /** Look at masters and sequences regularly. @param {App} app */
  open(app) {
    this.close();
    this.problem = "";
    this.#timer = setInterval(() => void this.look(app), LOOK_MS);
    void this.look(app);
    void this.loadParts(app);
  }

  close() {
    clearInterval(this.#timer);
  }

  /** @param {App} app */
  async look(app) {
    if (app.api.state !== "open") return;
    try {
      const [{ masters }, sequences] = await Promise.all([
        app.api.request("router", "list_masters"),
        app.api.request("sequence", "list"),
      ]);
      Object.assign(this, { masters, sequences });
    } catch {
      return; // the connection says so; the next look repeats it
    }
    app.draw();
  }

  /** @param {App} app */
  async loadParts(app) {
    if (app.api.state !== "open") return;
    try {
      Object.assign(this, await app.api.request("robot", "parts"));
    } catch (err) {
      this.problem = sentenceOf(err);
    }
    app.draw();
  }

  /** Carry out a request, show why it was refused, and look again.
   * @param {App} app @param {() => Promise<unknown>} work @returns {Promise<boolean>} */
  async act(app, work) {
    Object.assign(this, { isBusy: true, problem: "" });
    app.draw();
    try {
      await work();
    } catch (err) {
      this.problem = sentenceOf(err);
    }
    this.isBusy = false;
    await this.look(app);
    app.draw();
    return !this.problem;
  }

  /**
   * Change parts of the robot. Other limits restart router and pages, which may swallow the reply:
   * then the version in force says whether the change was carried out.
   * @param {App} app @param {import("../../lib/types.js").PartEdit[]} parts
   * @returns {Promise<boolean>}
   */
  async change(app, parts) {
    const base = this.version;
    const given = { parts, note: "calibrated", base };
    let isDone = await this.act(app, () => app.api.request("robot", "set_parts", given));
    const until = performance.now() + RESTART_MS;
    while (app.api.state !== "open" && performance.now() < until) await pause(PAUSE_MS);
    const { problem } = this;
    await this.loadParts(app);
    if (!isDone && this.version !== base) isDone = true;
    this.problem = isDone ? "" : this.problem || problem;
    app.draw();
    return isDone;
  }

  /** @param {string} target */
  masterOf(target) {
    return this.masters.find((each) => each.target === target);
  }

  /** Whether a joint's servo is a Dynamixel, which cannot make every pose its middle.
   * @param {import("../../lib/types.js").RobotPart} part */
  isDynamixel({ target, hardware }) {
    const line = (this.parts ?? []).find((p) => p.target === target && p.name === hardware.device);
    return line?.hardware.driver === "dynamixel";
  }

  /** The joints of an arm, in the order of the robot. @param {string} target */
  partsOf(target) {
    return (this.parts ?? []).filter((p) => p.target === target && p.kind === "bus_servo");
  }
}

/** @param {number} ms */
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

export const state = new ArmsState();
