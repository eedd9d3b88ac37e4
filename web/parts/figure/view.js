// Draws the stage of a 3D figure with its state, and the legend of its looks. Not here: which
// joints move (scene.js), the 3D library (stage.js).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store">} App */
/** @typedef {import("./scene.js").SceneSync} SceneSync */

/** Starts the scene with its canvas and ends it with the canvas. */
class OnCanvas extends AsyncDirective {
  /** @type {SceneSync | null} */ #scene = null;

  /** @param {App} _app @param {SceneSync} _scene */
  render(_app, _scene) {
    return nothing;
  }

  /**
   * @param {import("/vendor/lit-html/directive.js").ElementPart} part
   * @param {[App, SceneSync]} values
   */
  update(part, [app, scene]) {
    this.#scene = scene;
    if (app.robot) scene.begin(app, /** @type {HTMLCanvasElement} */ (part.element));
    scene.update(app);
    return nothing;
  }

  disconnected() {
    this.#scene?.end();
  }
}

const onCanvas = directive(OnCanvas);

/** @param {App} app @param {SceneSync} scene */
export function figureStage(app, scene) {
  const { state, failure } = scene;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div class="card stage ${isStopped ? "is-stopped" : ""}" data-scene=${state}>
      <canvas
        aria-label="3D model of the robot; the list beside it has the same values"
        role="img"
        ${onCanvas(app, scene)}
      ></canvas>
      ${
        state === "waiting" || state === "loading"
          ? html`<p class="stage-note" role="status">Loading the model…</p>`
          : nothing
      }
      ${
        state === "none"
          ? html`
            <p class="stage-note">
              This robot has no 3D model. <a href="/parts/figure">Add one</a> (a URDF).
            </p>
          `
          : nothing
      }
      ${
        state === "failed"
          ? html`<p class="stage-note" role="alert">${failure} The list has the same values.</p>`
          : nothing
      }
      ${state === "shown" && failure ? html`<p class="stage-fault">${failure}</p>` : nothing}
    </div>
  `;
}

export const figureLegend = () => html`
  <p class="robot-legend quiet">
    <span><i class="swatch solid"></i>measured</span>
    <span><i class="swatch ghost"></i>commanded</span>
    <span><i class="swatch stopped"></i>stopped</span> <span><i class="swatch old"></i>no
    data</span> <span>Drag to rotate, scroll or pinch to zoom, press a part for details.</span>
  </p>
`;
