// The figure in 3D while its joints are chosen: each part can be moved over its range. Nothing of
// the robot moves. Not here: which joint shows which part (figure.js).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { nothing } from "/vendor/lit-html/lit-html.js";
import { theme } from "../../lib/theme.js";

/** @typedef {import("../../context.js").With<"draw">} App */
/** @typedef {import("../../lib/types.js").FigureJoint} FigureJoint */

class FigurePreview {
  /** @type {"waiting" | "loading" | "shown" | "failed"} */ state = "waiting";
  failure = "";
  /** Path of the model that is shown. */ model = "";
  /** @type {import("../../parts/figure/stage.js").RobotStage | null} */ stage = null;
  /** Called with the joint that was pressed. @type {(joint: string) => void} */ onPick = () => {};
  #look = "";
  #round = 0;

  /**
   * @param {App} app @param {HTMLCanvasElement} canvas
   * @param {string} model @param {FigureJoint[]} joints
   */
  async show(app, canvas, model, joints) {
    if (this.model === model && this.state !== "waiting") return;
    this.end();
    Object.assign(this, { model, state: "loading", failure: "" });
    const round = ++this.#round;
    try {
      const [{ loadModels }, { RobotStage }] = await Promise.all([
        import("../../parts/figure/model.js"),
        import("../../parts/figure/stage.js"),
      ]);
      const names = new Set(joints.map(({ name }) => name));
      const [solid, ghost] = await loadModels(model, names);
      if (round !== this.#round || !canvas.isConnected) return;
      this.stage = new RobotStage(canvas, solid, ghost, (joint) => this.onPick(joint));
      this.state = "shown";
      if (solid.problems.length)
        this.failure = `Loading these shapes failed: ${solid.problems.join(", ")}.`;
    } catch (err) {
      if (round !== this.#round) return;
      this.state = "failed";
      this.failure = `The preview is not available: ${/** @type {Error} */ (err).message}`;
    }
    app.draw();
  }

  /** @param {string} joint @param {number} value */
  move(joint, value) {
    this.stage?.model.set(joint, value);
    this.stage?.ghost.set(joint, value);
    this.stage?.drawSoon();
  }

  /** @param {string} chosen joint */
  paint(chosen) {
    const look = `${chosen} ${theme()} ${this.state}`;
    if (!this.stage || look === this.#look) return;
    this.#look = look;
    const token = (/** @type {string} */ name) =>
      getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const accent = token("--accent");
    this.stage.model.paint({ isStopped: false, old: new Set(), chosen, accent });
    this.stage.setGround(token("--quiet"));
  }

  end() {
    this.#round++;
    this.stage?.dispose();
    Object.assign(this, { stage: null, state: "waiting", model: "" });
    this.#look = "";
  }
}

export const preview = new FigurePreview();

class OnCanvas extends AsyncDirective {
  /**
   * @param {App} _app @param {string} _model @param {FigureJoint[]} _joints
   * @param {string} _chosen
   */
  render(_app, _model, _joints, _chosen) {
    return nothing;
  }

  /**
   * @param {import("/vendor/lit-html/directive.js").ElementPart} part
   * @param {[App, string, FigureJoint[], string]} values
   */
  update(part, [app, model, joints, chosen]) {
    void preview.show(app, /** @type {HTMLCanvasElement} */ (part.element), model, joints);
    preview.paint(chosen);
    return nothing;
  }

  disconnected() {
    preview.end();
  }
}

export const onCanvas = directive(OnCanvas);
