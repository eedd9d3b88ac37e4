// The card to try an output: a slider for the goal, a button that moves there slowly while it is
// held (dead-man), and buttons that take the limits and the centre from where it stands.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { Jog } from "../../lib/control/jog.js";
import { whyNotMoved } from "../../lib/control/why-not-moved.js";
import { prevent, withValue } from "../../lib/events.js";
import { fixed, quantity } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { commanded, measured } from "../../lib/robot/joints.js";
import { rarely, reading } from "../../parts/live.js";

/** @typedef {"api" | "dialogs" | "draw" | "robot" | "store"} Needs */
/** @typedef {import("../../context.js").With<Needs>} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {{target: string, field: string}} Field */

const STEPS = 200;
const MOVING = "Moving. Release the button to stop.";
const HOLD = "Hold the button, or Enter on it: the part moves slowly to the goal.";

/** @type {Jog | null} */ let jog = null;
/** @type {App | null} */ let shownIn = null;
const goal = { key: "", value: 0 };

/** Where an output stands: measured, else commanded, else its centre. @param {Field} field */
function position(field) {
  const app = /** @type {App} */ (shownIn);
  const known = measured(field, app.store.data);
  if (known !== null) return known;
  const row = commanded(field, app.store.data);
  if (row && row.policy !== "none") return row.value ?? null;
  return app.robot?.targets?.[field.target]?.[field.field]?.neutral ?? null;
}

/** Release what is held. */
export const release = () => jog?.release();

/** @param {App} app @param {RobotPart} part */
function whyNot(app, part) {
  if (part.output.kind !== "position")
    return "Only positions are tried here. Drive a speed on the page Drive, with space around.";
  if (!part.node_id) return "No node holds this role: adopt one on the page Nodes.";
  if (!app.robot?.targets?.[part.target]?.[part.name])
    return "The router does not know this output yet: it knows it after it has started again.";
  return whyNotMoved(app, { target: part.target, field: part.name });
}

/** @param {App} app @param {RobotPart} part @param {Draft} draft */
export function tryCard(app, part, draft) {
  shownIn = app;
  jog ??= new Jog(
    () => /** @type {App} */ (shownIn).api,
    (joint) => whyNotMoved(/** @type {App} */ (shownIn), joint),
    position,
    () => shownIn?.draw(),
  );
  jog.speed = "trial";
  const field = { target: part.target, field: part.name };
  const why = whyNot(app, part);
  const [low, high] = part.limits;
  const at = part.output.kind === "position" ? position(field) : null;
  const key = `${part.target}.${part.name}`;
  if (goal.key !== key && at !== null)
    Object.assign(goal, { key, value: Math.min(high, Math.max(low, at)) });
  const pulse = at === null ? null : pulseAt(part, at);
  return html`
    <section class="card part-try" aria-labelledby="try-title">
      <h2 id="try-title">Try</h2>
      ${
        part.output.kind === "position"
          ? html`
            <dl class="part-now">
              <div><dt>Stands at</dt><dd data-at>${reading(quantity(at, part.unit))}</dd></div>
              <div>
                <dt>Goal</dt><dd data-goal>${quantity(goal.value, part.unit)}</dd>
              </div>
              ${
                pulse === null
                  ? nothing
                  : html`<div><dt>Pulse</dt><dd>${reading(fixed(pulse, 0))} µs</dd></div>`
              }
            </dl>
            <input
              type="range"
              aria-label="Goal"
              min=${low}
              max=${high}
              step=${(high - low) / STEPS}
              .value=${String(goal.value)}
              ?disabled=${Boolean(why)}
              @input=${withValue((value) => ((goal.value = Number(value)), app.draw()))}
            >
            ${holdButton(part, at, Boolean(why))}
          `
          : nothing
      }
      <p class="quiet" role="status" data-why>
        ${why || (jog.joint ? MOVING : HOLD)}
      </p>
      ${part.output.kind === "position" && isAdmin(app) ? marks(app, part, draft, at) : nothing}
    </section>
  `;
}

/** @param {RobotPart} part @param {number | null} at @param {boolean} isOff */
function holdButton(part, at, isOff) {
  const moving = /** @type {Jog} */ (jog);
  const [low, high] = part.limits;
  const hold = () => {
    if (at === null || isOff || at === goal.value) return;
    const direction = goal.value > at ? 1 : -1;
    /** @type {[number, number]} */
    const limits = direction > 0 ? [low, goal.value] : [goal.value, high];
    moving.hold({ target: part.target, field: part.name, limits }, direction, high - low);
  };
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hold();
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    if (event.key !== "Enter") return; // Space stops
    event.preventDefault();
    if (!event.repeat) hold();
  };
  return html`
    <button
      class="button part-hold ${moving.joint ? "primary" : ""}"
      type="button"
      data-hold
      data-moves
      aria-disabled=${rarely(String(isOff))}
      @pointerdown=${down}
      @pointerup=${release}
      @pointercancel=${release}
      @lostpointercapture=${release}
      @contextmenu=${prevent}
      @keydown=${press}
      @keyup=${release}
      @blur=${release}
    >
      Hold to move
    </button>
  `;
}

/** The pulse of a servo at a position; null for other parts. @param {RobotPart} part
 * @param {number} at
 */
function pulseAt(part, at) {
  const pulses = part.hardware.pulse_us;
  if (!Array.isArray(pulses) || pulses.length !== 2 || part.hardware.centre_us) return null;
  const [first, last] = (part.hardware.reversed ? [...pulses].reverse() : pulses).map(Number);
  const [low, high] = part.limits;
  return first + ((at - low) / (high - low)) * (last - first);
}

/** @param {App} app @param {RobotPart} part @param {Draft} draft @param {number | null} at */
function marks(app, part, draft, at) {
  const mark = (/** @type {"low" | "centre" | "high"} */ which) => {
    if (at === null) return;
    take(part, draft, which, Math.round(at * 100) / 100);
    app.draw();
  };
  const off = at === null;
  return html`
    <div class="part-marks" role="group" aria-label="Set from where it stands">
      <button class="button small" type="button" data-mark="low" ?disabled=${off}
        @click=${() => mark("low")}>Lower limit here</button>
      <button class="button small" type="button" data-mark="centre" ?disabled=${off}
        @click=${() => mark("centre")}>Centre here</button>
      <button class="button small" type="button" data-mark="high" ?disabled=${off}
        @click=${() => mark("high")}>Upper limit here</button>
    </div>
    <p class="quiet">Fills the fields in; a servo's pulse follows its limit. Save applies it.</p>
  `;
}

/**
 * Take a limit or the centre over into the draft. The pulse of that limit is the one at which the
 * part stands, so that the scale stays the same.
 * @param {RobotPart} part @param {Draft} draft @param {"low" | "centre" | "high"} which
 * @param {number} at
 */
function take(part, draft, which, at) {
  if (which === "centre") {
    draft.type("output", "neutral", String(at));
    return;
  }
  const index = which === "low" ? 0 : 1;
  const limits = /** @type {number[]} */ (draft.value("output", "limits"));
  const pulse = pulseAt(part, at);
  draft.type("output", "limits", limits.with(index, at).join(", "));
  if (pulse === null) return;
  const pulses = /** @type {number[]} */ (draft.value("hardware", "pulse_us"));
  const place = part.hardware.reversed ? 1 - index : index;
  draft.type("hardware", "pulse_us", pulses.with(place, Math.round(pulse)).join(", "));
}
