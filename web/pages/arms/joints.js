// The joints of an arm as sliders: held, the joint follows its slider; released, it stops. A mark
// shows where the joint is. Not here: the motion and its exclusive control (lib/control).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { ArmPanel } from "../../lib/control/arm-panel.js";
import { whyNotMoved } from "../../lib/control/why-not-moved.js";
import { fixed, quantity, words } from "../../lib/format.js";
import { fromShown, isOwn, lockText, shown, strain } from "../../lib/robot/arms.js";
import { commanded, measured } from "../../lib/robot/joints.js";
import { isReporting } from "../../lib/robot/nodes.js";
import { rarely, reading } from "../../parts/live.js";
import { state } from "./state.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "store">} App
 */

/** @type {ArmPanel | null} */ let panel = null;
/** @type {App | null} */ let shownIn = null;

/** Stop what is held, and release the arm that the page keeps. */
export const release = () => panel?.leave();

/** Return the panel of this page. @param {App} app */
export function panelOf(app) {
  shownIn = app;
  const now = () => /** @type {App} */ (shownIn);
  panel ??= new ArmPanel(
    () => now().api,
    (target, field) => refusal(now(), target, field),
    (target, field) => measured({ target, field }, now().store.data),
    () => now().draw(),
  );
  return panel;
}

/** Why a joint must not be moved now; empty: it may. A sequence or leader is named by its lock.
 * @param {App} app @param {string} target @param {string} field */
function refusal(app, target, field) {
  const lock = lockText(state.masterOf(target), app.api.session.client_id);
  return lock || whyNotMoved(app, { target, field });
}

/** @param {App} app @param {string} target */
export function jointsView(app, target) {
  const joints = app.robot?.arms[target] ?? [];
  const isOld = !isReporting(app, target, app.now);
  const client = app.api.session.client_id;
  const master = state.masterOf(target);
  const isLocked = Boolean(lockText(master, client)); // the master's card says so
  const why = joints.length && !isLocked ? refusal(app, target, joints[0]) : "";
  return html`
    <div class="arm-joints" data-joints=${target} ?data-stale=${isOld}>
      ${joints.map((joint) => row(app, target, joint))}
    </div>
    <p class="quiet" role="status" data-panel=${target}>
      ${panelOf(app).problem || why || (isLocked ? "" : hint(master && isOwn(master, client)))}
    </p>
  `;
}

/** @param {boolean | undefined} isMaster */
const hint = (isMaster) =>
  isMaster
    ? "This page has the arm. Hold a slider to move its joint; released, the joint stops."
    : "Hold a slider to move its joint; released, the joint stops.";

/** @param {App} app @param {string} target @param {string} field */
function row(app, target, field) {
  const spec = app.robot?.targets[target]?.[field];
  if (!spec) return nothing;
  const { unit } = spec;
  const [low, high] = spec.limits;
  const at = measured({ target, field }, app.store.data);
  const command = commanded({ target, field }, app.store.data)?.value ?? null;
  const { celsius, load, isHot } = strain(app.store.data, target, field);
  const why = refusal(app, target, field);
  const isHeld = panelOf(app).joint?.field === field && panelOf(app).joint?.target === target;
  const text = (/** @type {number | null} */ value) => quantity(value, unit);
  return html`
    <div class="arm-joint ${isHeld ? "is-held" : ""}" data-joint=${field}>
      <b>${words(field)}</b>
      <span class="number" data-at>${reading(text(at))}</span>
      ${slider(app, { target, field, limits: [low, high], rate: spec.max_rate }, unit, at, why)}
      <span class="number quiet arm-ends">
        <span>${text(low)}</span>
        <span data-command title="commanded">
          ${reading(command === null ? "" : `→ ${text(command)}`)}
        </span>
        <span>${text(high)}</span>
      </span>
      <span class="number quiet arm-strain ${isHot ? "is-hot" : ""}">
        ${reading(celsius === null ? "" : `${fixed(celsius, 0)} °C`)}
        ${reading(load === null ? "" : `load ${fixed(Math.abs(load) * 100, 0)} %`)}
      </span>
    </div>
  `;
}

/**
 * @param {App} app @param {import("../../lib/control/arm-panel.js").PanelJoint} joint
 * @param {string} unit @param {number | null} at @param {string} why
 */
function slider(app, joint, unit, at, why) {
  const held = panelOf(app);
  const isHeld = held.joint?.field === joint.field && held.joint.target === joint.target;
  const value = (/** @type {Event} */ event) =>
    fromShown(/** @type {HTMLInputElement} */ (event.target).valueAsNumber, unit);
  const move = (/** @type {Event} */ event) => held.hold(joint, value(event));
  const end = () => held.release();
  const down = (/** @type {PointerEvent} */ event) => {
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    move(event);
  };
  const press = (/** @type {KeyboardEvent} */ event) =>
    event.key.startsWith("Arrow") && held.hold(joint, value(event));
  const place = shown(isHeld ? held.wanted : (at ?? joint.limits[0]), unit);
  return html`
    <input
      type="range"
      min=${shown(joint.limits[0], unit)}
      max=${shown(joint.limits[1], unit)}
      step="0.1"
      aria-label=${words(joint.field)}
      aria-valuetext=${rarely(fixed(place, 0))}
      data-moves
      ?disabled=${Boolean(why) && !isHeld}
      .value=${String(place)}
      @pointerdown=${down}
      @input=${move}
      @pointerup=${end}
      @pointercancel=${end}
      @lostpointercapture=${end}
      @keydown=${press}
      @keyup=${end}
      @blur=${end}
    >
  `;
}
