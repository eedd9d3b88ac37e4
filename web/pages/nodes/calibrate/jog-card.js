// Where the chosen joint is, who commands it, and the buttons that move it while they are held.

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
  const wish = commanded({ target, field: field.field }, app.store.data);
  const isOld = !isReporting(app, target, app.now);
  const [low, high] = field.manifest_limits;
  return html`
    <section class="card jog-card" aria-labelledby="jog-title" ?data-stale=${isOld}>
      <header>
        <h2 id="jog-title">${words(field.field)}</h2>
        ${who(app, wish, isOld)}
      </header>
      <dl class="jog-values">
        ${
          isJoint
            ? html`<div><dt>Position</dt><dd data-position>${quantity(at, field.unit)}</dd></div>`
            : nothing
        }
        <div><dt>Commanded</dt><dd>${quantity(wish?.value ?? null, field.unit)}</dd></div>
        <div>
          <dt>May go</dt><dd>${quantity(field.limits[0], field.unit)} to
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
              A speed is not tried out here: <a href="#/drive">drive it</a>, with room around the
              robot.
            </p>
          `
      }
    </section>
  `;
}

/** @param {App} app @param {FieldState | null} wish @param {boolean} isOld */
function who(app, wish, isOld) {
  if (isOld) return html`<span class="chip bad"><i class="dot"></i>Silent</span>`;
  if (wish?.policy === "estop")
    return html`<span class="chip bad"><i class="dot"></i>Stopped</span>`;
  if (wish?.policy !== "live")
    return html`<span class="chip idle"><i class="dot"></i>At rest</span>`;
  const isOurs = wish.source === `websocket:${app.api.session.client_id}`;
  return html`<span class="chip ${isOurs ? "busy" : "warn"}" data-who><i class="dot"></i>${
    isOurs ? "You move it" : `${sourceName(wish.source)} drives it`
  }</span>`;
}

/** @param {Calibration} calibration @param {Row} row @param {FieldDescription} spec */
function controls(calibration, row, spec) {
  const jog = /** @type {import("./jog.js").Jog} */ (calibration.jog);
  const refusal = calibration.refusal({ target: row.target, field: row.field.field });
  return html`
    <fieldset class="jog-pace">
      <legend class="hidden">How fast</legend>
      <div class="segments">
        ${[
          ["fine", "Fine"],
          ["slow", "Slow"],
        ].map(
          ([name, title]) => html`<label>
            <input
              type="radio"
              name="pace"
              value=${name}
              .checked=${jog.pace === name}
              @change=${() => ((jog.pace = /** @type {"fine"} */ (name)), jog.changed())}
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
    <p class="quiet" id="jog-says" role="status" data-jog>${refusal || says(jog, row, spec)}</p>
  `;
}

/** @param {import("./jog.js").Jog} jog @param {Row} row @param {FieldDescription} spec */
function says(jog, row, spec) {
  if (jog.isAtEnd)
    return "It is at the end of what it may. Limits are narrowed here, never widened by moving.";
  if (jog.way) return "Moving. Let go to stop.";
  const { left } = jog;
  const was = left.get(row.key);
  if (spec.on_loss !== "hold" && was !== undefined)
    return `Let go at ${quantity(was, row.field.unit)}; by itself it went back to neutral.`;
  if (spec.on_loss !== "hold")
    return "Hold a button to move it. Let go, it returns to neutral by itself.";
  return "Hold a button to move it, or the arrow keys on one. Let go to stop.";
}

/**
 * @param {import("./jog.js").Jog} jog
 * @param {Row} row
 * @param {-1 | 1} way
 * @param {boolean} isOff
 */
function button(jog, { target, field }, way, isOff) {
  const [low, high] = field.manifest_limits;
  const joint = { target, field: field.field, limits: field.limits };
  const hold = (/** @type {number} */ to) => jog.hold(joint, to, high - low);
  const release = () => jog.letGo();
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hold(way);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const to = { ArrowLeft: -1, ArrowRight: 1, Enter: way }[event.key]; // Space is the stop
    if (!to) return;
    event.preventDefault();
    if (!event.repeat) hold(to);
  };
  const isHeld = jog.way === way;
  return html`
    <button
      class="button ${isHeld ? "primary" : ""}"
      type="button"
      data-way=${way}
      data-moves
      aria-label=${way > 0 ? "Towards higher values" : "Towards lower values"}
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
      ${way > 0 ? "+" : "\u2212"}
    </button>
  `;
}
