// The view of the page "Robot": the scene, the list of parts for keyboard and screen reader, and
// the panel with the reason of a command.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withChecked } from "../../lib/events.js";
import { quantity, targetName, words } from "../../lib/format.js";
import { commanded, jointFields, measured } from "../../lib/robot/joints.js";
import { SceneSync } from "../../parts/figure/scene.js";
import { figureLegend, figureStage } from "../../parts/figure/view.js";
import { reading } from "../../parts/live.js";
import { handCard } from "./hand.js";
import { why } from "./why.js";

/**
 * @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../lib/types.js").TracksState} TracksState */

export const scene = new SceneSync();
const LOOKS = /** @type {const} */ ([
  ["corner", "Corner"],
  ["front", "Front"],
  ["side", "Side"],
  ["top", "Top"],
]);

/** @param {App} app */
export function view(app) {
  const parts = jointFields(app.robot);
  const chosen = parts.find(({ key }) => key === scene.chosen);
  return html`
    <div class="page-head">
      <div><h1>Robot</h1><p class="quiet">${hint(parts.length)}</p></div>
      ${scene.state === "shown" ? switches(app) : nothing}
    </div>
    <div class="robot-page">
      <div class="robot-main">${figureStage(app, scene)} ${figureLegend()}</div>
      <div class="robot-side">
        ${chosen ? why(app, chosen, scene.isOld(app, chosen)) : nothing}
        ${handCard(app)} ${list(app, parts)}
      </div>
    </div>
  `;
}

/** @param {number} count */
const hint = (count) => (count ? "Select a part to see why it moves" : "");

/** @param {App} app */
function switches(app) {
  const set = (/** @type {Partial<SceneSync>} */ change) => (
    Object.assign(scene, change), app.draw()
  );
  return html`
    <div class="toolbar">
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          .checked=${scene.hasGhost}
          @change=${withChecked((hasGhost) => set({ hasGhost }))}
        >
        Commanded
      </label>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          .checked=${scene.isRoaming}
          @change=${withChecked((isRoaming) => set({ isRoaming }))}
        >
        Follow odometry
      </label>
      <div class="toolbar" role="group" aria-label="Viewpoint">
        ${LOOKS.map(
          ([name, title]) => html`<button
            class="button small"
            type="button"
            @click=${() => scene.stage?.look(name)}
          >
            ${title}
          </button>`,
        )}
      </div>
    </div>
  `;
}

/** @param {App} app @param {import("../../lib/robot/joints.js").JointField[]} parts */
function list(app, parts) {
  if (!app.robot) return html`<div class="card skeleton robot-wait"></div>`;
  const walking = Object.entries(app.store.data.legs?.joints ?? {});
  if (!parts.length && !walking.length)
    return html`<div class="card empty">
      <p>No joint of this robot reports or is commanded.</p>
    </div>`;
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
      ${walking.length ? walkingJoints(walking) : ""}
    </section>
  `;
}

/**
 * What a walking controller measures; it alone moves them.
 *
 * @param {[string, number | null][]} joints
 */
function walkingJoints(joints) {
  return html`
    <h3>${targetName("legs")}</h3>
    <ul>
      ${joints.map(
        ([name, angle]) => html`<li class="measured-only">
          <span>${words(name)}</span>
          <span class="number">${reading(quantity(angle, "rad"))}</span>
        </li>`,
      )}
    </ul>
  `;
}

/** @param {App} app @param {import("../../lib/robot/joints.js").JointField} part */
function row(app, part) {
  const { data } = app.store;
  const at = part.spec ? measured(part, data) : motorSpeed(part, data.tracks);
  const command = part.spec ? commanded(part, data) : null;
  const isChosen = scene.chosen === part.key;
  return html`
    <li ?data-stale=${at !== null && scene.isOld(app, part)}>
      <button
        type="button"
        data-part=${part.key}
        aria-pressed=${isChosen}
        @click=${() => ((scene.chosen = isChosen ? "" : part.key), app.draw())}
      >
        <span>${words(part.field)}</span>
        <span class="number">${reading(quantity(at, part.spec?.unit ?? "m/s"))}</span>
        <span class="number quiet">${
          command && part.spec
            ? html`<span class="hidden">commanded</span>
              ${reading(quantity(command.value, part.spec.unit))}`
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
