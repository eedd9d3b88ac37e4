// State of the face wizard: what is chosen, what was measured, and the routes that the robot
// proposes of it. Not here: drawing, the rules (routerd).

import { sentenceOf } from "../../../lib/api.js";
import { compact } from "../model.js";
import { importText, routes } from "../state.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../../lib/types.js").FaceTemplate} FaceTemplate */
/** @typedef {import("../../../lib/types.js").FaceTemplates} FaceTemplates */
/** @typedef {import("../../../lib/types.js").Measurement} Measurement */
/** @typedef {import("../../../lib/types.js").ProposedFace} ProposedFace */
/** @typedef {import("../../../lib/types.js").SubjectInfo} SubjectInfo */

const ANY = "*";
const PAUSE_MS = 3000; // to read the next step and to do it

export class FaceWizard {
  /** @type {FaceTemplates | null} */ known = null;
  /** Faces that are received. @type {SubjectInfo[]} */ subjects = [];
  template = "face12";
  subject = ANY;
  /** Outputs other than usual, by part; empty: none. @type {Record<string, string>} */ outputs =
    {};
  /** Which step is shown; -1: the choice before the first. */ at = -1;
  /** By step. @type {Record<string, Measurement>} */ steps = {};
  /** @type {ProposedFace | null} */ made = null;
  /** When the running measurement began (performance.now); 0: none runs. */ since = 0;
  /** When the next step is measured by itself (performance.now); 0: when the button is pressed. */
  dueAt = 0;
  /** Why the step must be repeated, or a request failed. */ refusal = "";
  /** Routes that were saved. */ saved = 0;

  /** @param {App} app */
  async load(app) {
    if (app.api.state !== "open") return;
    try {
      this.known = await app.api.request("router", "face_templates");
      this.refusal = "";
    } catch (err) {
      this.refusal = sentenceOf(err);
    }
    await this.look(app);
  }

  /** Look which faces are received. @param {App} app */
  async look(app) {
    if (app.api.state !== "open") return;
    const found = await app.api.request("livelink", "list_sources").catch(() => null);
    if (found) this.subjects = found.sources.filter((each) => each.subject_type === "face");
    app.draw();
  }

  /** @returns {FaceTemplate | null} */
  get chosen() {
    return this.known?.templates.find((each) => each.name === this.template) ?? null;
  }

  /** The steps of the parts that the robot has. */
  get stepsToDo() {
    const { chosen } = this;
    if (!chosen) return [];
    const used = chosen.parts.filter((part) => this.outputOf(part.name));
    const needed = new Set(used.flatMap((part) => part.steps));
    return chosen.steps.filter((step, index) => index === 0 || needed.has(step.name));
  }

  /** The step that is shown; null: the choice, or the result. */
  get step() {
    return this.stepsToDo[this.at] ?? null;
  }

  get isReview() {
    return this.at >= 0 && this.at >= this.stepsToDo.length;
  }

  /** The face that is measured; empty: none is received. */
  get measured() {
    if (this.subject !== ANY) return this.subject;
    const live = this.subjects.find((each) => each.tracked && each.age_ms < 1000);
    return (live ?? this.subjects[0])?.subject_name ?? "";
  }

  /** @param {string} part */
  outputOf(part) {
    return this.outputs[part] ?? this.known?.outputs[part] ?? "";
  }

  /** Routes of the parts, or of those that move in the present step. */
  get proposed() {
    const { chosen, step } = this;
    const moves = (/** @type {string} */ part) =>
      !step || chosen?.parts.find(({ name }) => name === part)?.steps.includes(step.name);
    return (this.made?.parts ?? []).flatMap((part) =>
      part.route && moves(part.part) ? [part.route] : [],
    );
  }

  /** @param {number} at */
  go(at) {
    this.dueAt = 0;
    this.at = Math.max(-1, Math.min(at, this.stepsToDo.length));
    this.refusal = "";
  }

  restart() {
    Object.assign(this, { at: -1, steps: {}, made: null, refusal: "", saved: 0 });
  }

  /** Measure the step that is shown; go on when it is good. @param {App} app */
  async measure(app) {
    const { step, measured } = this;
    if (!step || this.since) return;
    Object.assign(this, { since: performance.now(), dueAt: 0, refusal: "" });
    app.draw();
    try {
      if (!measured) throw new Error("No phone sends a face. Start the capture app first.");
      const { seconds, inputs: names } = step;
      const given = { subject_name: measured, seconds, names };
      this.steps[step.name] = await app.api.request("livelink", "measure", given);
      await this.#propose(app);
      const why = this.made?.refusals[step.name] ?? "";
      if (why) this.refusal = why;
      else {
        this.go(this.at + 1);
        if (this.step) this.dueAt = performance.now() + PAUSE_MS;
      }
    } catch (err) {
      this.refusal = sentenceOf(err);
    }
    this.since = 0;
    app.draw();
  }

  /** Measure when the step is due: a person's hands and eyes are busy. @param {App} app */
  tick(app) {
    if (this.dueAt && performance.now() >= this.dueAt) void this.measure(app);
  }

  /** @param {App} app */
  async #propose(app) {
    const { template, steps, outputs, subject } = this;
    this.made = await app.api.request("router", "propose_face", {
      template,
      steps,
      outputs,
      subject,
    });
  }

  /** Save all routes as one change that can be undone. @param {App} app */
  async save(app) {
    const made = (this.made?.parts ?? []).flatMap((part) => part.route ?? []);
    try {
      await routes.refresh(app);
      await routes.change(app, "Map a face", () => saveAll(app, made));
      this.saved = made.length;
      this.refusal = "";
    } catch (err) {
      this.refusal = sentenceOf(err);
    }
    app.draw();
  }
}

/**
 * Save routes beside the others: all at once, or one after the other where saved routes do not fit
 * this robot, since the robot would refuse these.
 * @param {App} app @param {import("../model.js").Route[]} made
 */
async function saveAll(app, made) {
  if (routes.list?.some(({ fault }) => fault)) {
    for (const route of made) await app.api.request("router", "set_route", { route });
    return;
  }
  const names = new Set(made.map(({ id }) => id));
  const kept = routes.snapshot().routes.filter(({ id }) => !names.has(id));
  const file = { routes: [...kept, ...made].map(compact), blending: routes.blending };
  await importText(app, JSON.stringify(file), "the face", false); // JSON is valid YAML
}

export const wizard = new FaceWizard();
