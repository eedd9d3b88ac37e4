// The card to jog the chosen joint: its position, its command, and buttons that move it while held.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { prevent } from "../../../lib/events.js";
import { quantity, sourceName, words } from "../../../lib/format.js";
import { commanded } from "../../../lib/robot/joints.js";
import { isReporting } from "../../../lib/robot/nodes.js";
import { bar } from "../../../parts/bar.js";

/** @typedef {import("../../../context.js").With<"api" | "now" | "store">} App */
/** @typedef {import("../../../lib/types.js").FieldDescription} FieldDescription */
/** @typedef {import("../../../lib/types.js").FieldState} FieldState */
/** @typedef {import("./state.js").Calibration} Calibration */
/** @typedef {import("./page-view.js").Row} Row */

/** @param {App} app @param {Calibration} calibration @param {Row} row */
export function jogCard(app, calibration, row) {
  const { target, field } = row;
  const spec = calibration.spec(target, field.field);
  const isJoint = spec?.kind === "position";
  const at = calibration.position({ target, field: field.field });
  const output = commanded({ target, field: field.field }, app.store.data);
  const isOld = !isReporting(app, target, app.now);
  const [low, high] = field.manifest_limits;
  return html`
    <section class="card jog-card" aria-labelledby="jog-title" ?data-stale=${isOld}>
      <header>
        <h2 id="jog-title">${words(field.field)}</h2>
        ${controlChip(app, output, isOld)}
      </header>
      <dl class="jog-values">
        ${
          isJoint
            ? html`<div><dt>Position</dt><dd data-position>${quantity(at, field.unit)}</dd></div>`
            : nothing
        }
        <div><dt>Commanded</dt><dd>${quantity(output?.value ?? null, field.unit)}</dd></div>
        <div>
          <dt>Limits</dt><dd>${quantity(field.limits[0], field.unit)} to
          ${quantity(field.limits[1], field.unit)}</dd>
        </div>
      </dl>
      ${
        isJoint
          ? html`
            <span class="track"><i ${bar(at, low, high, spec.neutral)}></i></span>
            ${controls(calibration, row, spec)}
          `
          : html`
            <p class="quiet">
              Speeds cannot be tested here: <a href="/drive">drive the robot</a> with free space
              around it.
            </p>
          `
      }
    </section>
  `;
}

/** @param {App} app @param {FieldState | null} output @param {boolean} isOld */
function controlChip(app, output, isOld) {
  if (isOld) return html`<span class="chip bad"><i class="dot"></i>Timed out</span>`;
  if (output?.policy === "estop")
    return html`<span class="chip bad"><i class="dot"></i>Stopped</span>`;
  if (output?.policy !== "live")
    return html`<span class="chip idle"><i class="dot"></i>At rest</span>`;
  const isOurs = output.source === `websocket:${app.api.session.client_id}`;
  return html`<span class="chip ${isOurs ? "busy" : "warn"}" data-who><i class="dot"></i>${
    isOurs ? "You have control" : `${sourceName(output.source)} has control`
  }</span>`;
}

/** @param {Calibration} calibration @param {Row} row @param {FieldDescription} spec */
function controls(calibration, row, spec) {
  const jog = /** @type {import("../../../lib/control/jog.js").Jog} */ (calibration.jog);
  const refusal = calibration.refusal({ target: row.target, field: row.field.field });
  return html`
    <fieldset class="jog-pace">
      <legend class="hidden">Speed</legend>
      <div class="segments">
        ${[
          ["fine", "Fine"],
          ["slow", "Slow"],
        ].map(
          ([name, title]) => html`<label>
            <input
              type="radio"
              name="speed"
              value=${name}
              .checked=${jog.speed === name}
              @change=${() => ((jog.speed = /** @type {"fine"} */ (name)), jog.changed())}
            >
            <span>${title}</span>
          </label>`,
        )}
      </div>
    </fieldset>
    <div
      class="jog"
      role="group"
      aria-label=${`Move ${words(row.field.field).toLowerCase()} while held`}
      aria-describedby="jog-says"
    >
      ${button(jog, row, -1, Boolean(refusal))} ${button(jog, row, 1, Boolean(refusal))}
    </div>
    <p class="quiet" id="jog-says" role="status" data-jog>${refusal || hint(jog, row, spec)}</p>
  `;
}

/**
 * @param {import("../../../lib/control/jog.js").Jog} jog
 * @param {Row} row
 * @param {FieldDescription} spec
 */
function hint(jog, row, spec) {
  if (jog.isAtLimit) return "Joint limit reached.";
  if (jog.direction) return "Moving. Release the button to stop.";
  const releasedAt = jog.released.get(row.key);
  if (spec.on_loss !== "hold" && releasedAt !== undefined)
    return `Released at ${quantity(releasedAt, row.field.unit)}; the joint returned to neutral.`;
  if (spec.on_loss !== "hold")
    return "Hold a button to move the joint. On release it returns to neutral.";
  return "Hold a button, or an arrow key on a button, to move the joint. Release it to stop.";
}

/**
 * @param {import("../../../lib/control/jog.js").Jog} jog
 * @param {Row} row
 * @param {-1 | 1} direction
 * @param {boolean} isOff
 */
function button(jog, { target, field }, direction, isOff) {
  const [low, high] = field.manifest_limits;
  const joint = { target, field: field.field, limits: field.limits };
  const hold = (/** @type {number} */ to) => jog.hold(joint, to, high - low);
  const release = () => jog.release();
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hold(direction);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const to = { ArrowLeft: -1, ArrowRight: 1, Enter: direction }[event.key]; // Space stops
    if (!to) return;
    event.preventDefault();
    if (!event.repeat) hold(to);
  };
  const isHeld = jog.direction === direction;
  return html`
    <button
      class="button ${isHeld ? "primary" : ""}"
      type="button"
      data-way=${direction}
      data-moves
      aria-label=${direction > 0 ? "Towards higher values" : "Towards lower values"}
      aria-disabled=${isOff}
      @pointerdown=${down}
      @pointerup=${release}
      @pointercancel=${release}
      @lostpointercapture=${release}
      @contextmenu=${prevent}
      @keydown=${press}
      @keyup=${release}
      @blur=${release}
    >
      ${direction > 0 ? "+" : "\u2212"}
    </button>
  `;
}
