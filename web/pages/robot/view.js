// The page "Robot": the scene, the list of its parts for keyboard and screen reader, the reason
// panel.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withChecked } from "../../lib/events.js";
import { quantity, targetName, words } from "../../lib/format.js";
import { commanded, jointFields, measured } from "../../lib/robot/joints.js";
import { reading } from "../../parts/live.js";
import { SceneKeeper } from "./scene.js";
import { why } from "./why.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store">} App */
/** @typedef {import("../../lib/types.js").TracksState} TracksState */

export const keeper = new SceneKeeper();
const LOOKS = /** @type {const} */ ([
  ["corner", "Corner"],
  ["front", "Front"],
  ["side", "Side"],
  ["top", "Top"],
]);

/** Begins when its canvas is there and ends with it. */
class OnCanvas extends AsyncDirective {
  /** @param {App} _app */
  render(_app) {
    return nothing;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {[App]} values */
  update(part, [app]) {
    if (app.robot) keeper.begin(app, /** @type {HTMLCanvasElement} */ (part.element));
    keeper.show(app);
    return nothing;
  }

  disconnected() {
    keeper.end();
  }
}

const onCanvas = directive(OnCanvas);

/** @param {App} app */
export function view(app) {
  const parts = jointFields(app.robot);
  const chosen = parts.find(({ key }) => key === keeper.chosen);
  return html`
    <div class="page-head">
      <div><h1>Robot</h1><p class="quiet">${hint(parts.length)}</p></div>
      ${keeper.state === "shown" ? switches(app) : nothing}
    </div>
    <div class="robot-page">
      <div class="robot-main">${scene(app)} ${legend()}</div>
      <div class="robot-side">
        ${chosen ? why(app, chosen, keeper.isOld(app, chosen)) : nothing} ${list(app, parts)}
      </div>
    </div>
  `;
}

/** @param {number} count */
const hint = (count) => (count ? "Choose a part to see why it moves" : "");

/** @param {App} app */
function scene(app) {
  const { state, failure } = keeper;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return html`
    <div class="card stage ${isStopped ? "is-stopped" : ""}" data-scene=${state}>
      <canvas
        aria-label="The robot as it stands now; the list beside it says the same in words"
        role="img"
        ${onCanvas(app)}
      ></canvas>
      ${
        state === "waiting" || state === "loading"
          ? html`<p class="stage-note" role="status">Fetching the model…</p>`
          : nothing
      }
      ${
        state === "none"
          ? html`
            <p class="stage-note">
              This robot has no model. Name a URDF in its manifest (<code>urdf:</code> in
              manifests/robots), and it is shown here.
            </p>
          `
          : nothing
      }
      ${
        state === "failed"
          ? html`<p class="stage-note" role="alert">${failure} The list says the same in words.</p>`
          : nothing
      }
      ${state === "shown" && failure ? html`<p class="stage-fault">${failure}</p>` : nothing}
    </div>
  `;
}

/** @param {App} app */
function switches(app) {
  const set = (/** @type {Partial<SceneKeeper>} */ change) => (
    Object.assign(keeper, change), app.draw()
  );
  return html`
    <div class="toolbar">
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          .checked=${keeper.hasGhost}
          @change=${withChecked((hasGhost) => set({ hasGhost }))}
        >
        Commanded
      </label>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          .checked=${keeper.isRoaming}
          @change=${withChecked((isRoaming) => set({ isRoaming }))}
        >
        Drive around
      </label>
      <div class="toolbar" role="group" aria-label="Look from">
        ${LOOKS.map(
          ([name, title]) => html`<button
            class="button small"
            type="button"
            @click=${() => keeper.stage?.look(name)}
          >
            ${title}
          </button>`,
        )}
      </div>
    </div>
  `;
}

const legend = () => html`
  <p class="robot-legend quiet">
    <span><i class="swatch solid"></i>measured</span>
    <span><i class="swatch ghost"></i>commanded</span>
    <span><i class="swatch stopped"></i>stopped</span> <span><i class="swatch old"></i>not
    heard</span> <span>Drag to turn, pinch or scroll to come nearer, press a part to ask about
    it.</span>
  </p>
`;

/** @param {App} app @param {import("../../lib/robot/joints.js").JointField[]} parts */
function list(app, parts) {
  if (!app.robot) return html`<div class="card skeleton robot-wait"></div>`;
  if (!parts.length)
    return html`<div class="card empty"><p>The robot's manifest names no joints.</p></div>`;
  /** @type {Map<string, import("../../lib/robot/joints.js").JointField[]>} */
  const targets = new Map();
  for (const part of parts) targets.set(part.target, [...(targets.get(part.target) ?? []), part]);
  return html`
    <section class="card part-list" aria-label="Parts">
      ${[...targets].map(
        ([target, each]) => html`
          <h3>${targetName(target)}</h3>
          <ul>
            ${each.map((part) => row(app, part))}
          </ul>
        `,
      )}
    </section>
  `;
}

/** @param {App} app @param {import("../../lib/robot/joints.js").JointField} part */
function row(app, part) {
  const { data } = app.store;
  const at = part.spec ? measured(part, data) : motorSpeed(part, data.tracks);
  const wanted = part.spec ? commanded(part, data) : null;
  const isChosen = keeper.chosen === part.key;
  return html`
    <li ?data-stale=${at !== null && keeper.isOld(app, part)}>
      <button
        type="button"
        data-part=${part.key}
        aria-pressed=${isChosen}
        @click=${() => ((keeper.chosen = isChosen ? "" : part.key), app.draw())}
      >
        <span>${words(part.field)}</span>
        <span class="number">${reading(quantity(at, part.spec?.unit ?? "m/s"))}</span>
        <span class="number quiet">${
          wanted && part.spec
            ? html`<span class="hidden">commanded</span>
              ${reading(quantity(wanted.value, part.spec.unit))}`
            : ""
        }</span>
      </button>
    </li>
  `;
}

/**
 * @param {import("../../lib/robot/joints.js").JointField} part
 * @param {TracksState | undefined} tracks
 */
const motorSpeed = (part, tracks) =>
  (part.field.startsWith("left") ? tracks?.left_velocity : tracks?.right_velocity) ?? null;
