// Synchronizes the 3D scene with the robot: loads model and library, and moves the joints by the
// newest states. Not here: drawing (stage.js), texts (view.js).

import {
  commanded,
  inModel,
  jointFields,
  measured,
  topicOf,
  trackSpeed,
} from "../../lib/robot/joints.js";
import { theme } from "../../lib/theme.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store">} App */
/** @typedef {import("../../lib/types.js").OdometryState} OdometryState */
/** @typedef {import("../../lib/robot/joints.js").JointField} Part */

export class SceneSync {
  /** "none": the robot has no model. @type {"waiting" | "loading" | "shown" | "none" | "failed"} */
  state = "waiting";
  /** Why the model is not drawn, fully or in part. */
  failure = "";
  /** Key of the selected part: "head.pan". */
  chosen = "";
  hasGhost = true;
  isRoaming = false;
  /** @type {Part[]} */ parts = [];
  /** @type {import("./stage.js").RobotStage | null} */ stage = null;
  /** @type {Map<string, number>} angle of each motor */
  #turns = new Map();
  #movedAt = 0;
  #look = "";
  #round = 0;

  /** @param {App} app @param {HTMLCanvasElement} canvas */
  async begin(app, canvas) {
    if (this.state !== "waiting") return;
    this.parts = jointFields(app.robot);
    if (!app.robot?.model) {
      this.state = "none";
      return;
    }
    this.state = "loading";
    const round = ++this.#round;
    try {
      const [{ loadModels }, { RobotStage }] = await Promise.all([
        import("./model.js"),
        import("./stage.js"),
      ]);
      const joints = new Set(this.parts.map(({ joint }) => joint));
      const [model, ghost] = await loadModels(app.robot.model, joints);
      if (round !== this.#round || !canvas.isConnected) return;
      this.stage = new RobotStage(canvas, model, ghost, (joint) => this.pick(app, joint));
      this.state = "shown";
      this.failure = model.problems.length
        ? `Loading these shapes failed: ${model.problems.join(", ")}.`
        : "";
    } catch (err) {
      if (round !== this.#round) return;
      this.state = "failed";
      this.failure = reason(err);
    }
    app.draw();
  }

  end() {
    this.#round++;
    this.stage?.dispose();
    this.stage = null;
    this.state = "waiting";
    this.#look = "";
  }

  /** @param {App} app @param {string} joint of the model */
  pick(app, joint) {
    this.chosen = this.parts.find((part) => part.joint === joint)?.key ?? "";
    app.draw();
  }

  /** Move all joints to their newest positions. @param {App} app */
  update(app) {
    const { stage } = this;
    if (!stage) return;
    const { data } = app.store;
    let isMoved = this.#turn(app);
    for (const part of this.parts) {
      if (!part.spec) continue;
      const limit = stage.model.limit(part.joint);
      const is = measured(part, data);
      const command = commanded(part, data)?.value ?? is;
      if (is !== null)
        isMoved = stage.model.set(part.joint, inModel(is, part.spec.unit, limit)) || isMoved;
      if (command !== null)
        isMoved = stage.ghost.set(part.joint, inModel(command, part.spec.unit, limit)) || isMoved;
    }
    for (const [joint, angle] of Object.entries(data.legs?.joints ?? {})) {
      if (angle === null) continue;
      isMoved = stage.model.set(joint, angle) || isMoved;
      stage.ghost.set(joint, angle); // its controller alone commands them
    }
    this.#place(data.tracks?.odom);
    this.#paint(app);
    if (isMoved) stage.drawSoon();
  }

  /** Turn the wheels by the speed of their track. @param {App} app */
  #turn(app) {
    const { tracks } = app.store.data;
    const passed = Math.min(0.2, (app.now - this.#movedAt) / 1000);
    this.#movedAt = app.now;
    let isMoved = false;
    for (const part of this.parts) {
      if (part.spec || !this.stage || !app.store.isFresh("tracks", app.now)) continue;
      const step = (trackSpeed(part, tracks) * passed) / this.stage.model.radius(part.joint);
      const angle = ((this.#turns.get(part.key) ?? 0) + step) % (2 * Math.PI);
      this.#turns.set(part.key, angle);
      isMoved = this.stage.model.set(part.joint, angle) || isMoved;
      this.stage.ghost.set(part.joint, angle);
    }
    return isMoved;
  }

  /** @param {OdometryState | null | undefined} odom */
  #place(odom) {
    const pose = this.isRoaming && odom ? odom : { x: 0, y: 0, heading: 0 };
    this.stage?.place({ x: pose.x ?? 0, y: pose.y ?? 0, heading: pose.heading ?? 0 });
  }

  /** Repaint only if a colour has changed, because it touches every mesh. @param {App} app */
  #paint(app) {
    const { stage } = this;
    const isStopped = Boolean(app.store.data.system?.estop?.active);
    const old = this.parts.filter((part) => this.isOld(app, part)).map(({ joint }) => joint);
    const chosen = this.parts.find(({ key }) => key === this.chosen)?.joint ?? "";
    const look = [isStopped, old, chosen, this.hasGhost, theme()].join();
    if (look === this.#look || !stage) return;
    this.#look = look;
    const token = (/** @type {string} */ name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    stage.model.paint({ isStopped, old: new Set(old), chosen, accent: token("--accent") });
    stage.ghost.robot.visible = this.hasGhost;
    stage.setGround(token("--quiet"));
  }

  /** Whether the measurement is stale. @param {App} app @param {Part} part */
  isOld(app, part) {
    return app.api.state !== "open" || !app.store.isFresh(topicOf(part), app.now);
  }
}

/** @param {unknown} err */
function reason(err) {
  const { message } = /** @type {Error} */ (err);
  if (/webgl/i.test(message))
    return "3D is not available: WebGL is off or missing in this browser.";
  return `Loading the model failed: ${message}`;
}
