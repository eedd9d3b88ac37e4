// The card to jog one output: where it stands, what is commanded, and buttons that move it while
// held. Not here: the motion and its exclusive control (lib/control/jog.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { prevent } from "../lib/events.js";
import { quantity, sourceName, words } from "../lib/format.js";
import { commanded } from "../lib/robot/joints.js";
import { isReporting } from "../lib/robot/nodes.js";
import { bar } from "./bar.js";
import { rarely, reading } from "./live.js";

/** @typedef {import("../context.js").With<"api" | "now" | "store">} App */
/** @typedef {import("../lib/control/jog.js").Jog} Jog */
/** @typedef {import("../lib/types.js").FieldState} FieldState */
/**
 * @typedef {object} Jogged an output that can be moved by hand
 * @property {string} title
 * @property {string} target
 * @property {string} field
 * @property {string} unit
 * @property {boolean} isPosition nothing else is moved by hand
 * @property {[number, number]} limits within which it is moved
 * @property {[number, number]} range of the bar and of the speed
 * @property {number} neutral
 * @property {boolean} isHeld where it is released it stays; otherwise it returns to neutral
 * @property {number | null} at where it stands
 * @property {string} refusal why it must not be moved now
 * @property {[string, string][]} [facts] further ones, with their names
 */

/** @type {[Jog["speed"], string][]} */
const SPEEDS = [
  ["fine", "Fine"],
  ["slow", "Slow"],
  ["trial", "Fast"],
];

/**
 * @param {App} app
 * @param {Jog} jog
 * @param {Jogged} of
 * @param {unknown} [more] below the buttons
 */
export function jogCard(app, jog, of, more = nothing) {
  const output = commanded(of, app.store.data);
  const isOld = !isReporting(app, of.target, app.now);
  const [low, high] = of.range;
  return html`
    <section class="card jog-card" aria-labelledby="jog-title" ?data-stale=${isOld}>
      <header>
        <h2 id="jog-title">${of.title}</h2>
        ${controlChip(app, output, isOld)}
      </header>
      <dl class="jog-values">
        ${
          of.isPosition
            ? html`<div>
              <dt>Position</dt><dd data-position>${reading(quantity(of.at, of.unit))}</dd>
            </div>`
            : nothing
        }
        <div>
          <dt>Commanded</dt><dd>${reading(quantity(output?.value ?? null, of.unit))}</dd>
        </div>
        <div>
          <dt>Limits</dt><dd>${quantity(of.limits[0], of.unit)} to
          ${quantity(of.limits[1], of.unit)}</dd>
        </div>
        ${(of.facts ?? []).map(
          ([name, value]) => html`<div><dt>${name}</dt><dd>${reading(value)}</dd></div>`,
        )}
      </dl>
      ${
        of.isPosition
          ? html`
            <span class="track"><i ${bar(of.at, low, high, of.neutral)}></i></span>
            ${controls(jog, of)} ${more}
          `
          : html`
            <p class="quiet" data-jog>
              Speeds and switches are not tried here: <a href="/drive">drive the robot</a> with free
              space around it.
            </p>
          `
      }
    </section>
  `;
}

/** The button that was pressed last. @type {EventTarget | null} */ let heldBy = null;

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

/** @param {Jog} jog @param {Jogged} of */
const controls = (jog, of) => html`
  <fieldset class="jog-pace">
    <legend class="hidden">Speed</legend>
    <div class="segments">
      ${SPEEDS.map(
        ([name, title]) => html`<label>
          <input
            type="radio"
            name="speed"
            value=${name}
            .checked=${jog.speed === name}
            @change=${() => ((jog.speed = name), jog.changed())}
          >
          <span>${title}</span>
        </label>`,
      )}
    </div>
  </fieldset>
  <div
    class="jog"
    role="group"
    aria-label=${`Move ${words(of.field).toLowerCase()} while held`}
    aria-describedby="jog-says"
  >
    ${button(jog, of, -1)} ${button(jog, of, 1)}
  </div>
  <p class="quiet" id="jog-says" role="status" data-jog>
    ${of.refusal || jog.problem || hint(jog, of)}
  </p>
`;

/** @param {Jog} jog @param {Jogged} of */
function hint(jog, of) {
  if (jog.isAtLimit) return "Joint limit reached.";
  if (jog.direction) return "Moving. Release the button to stop.";
  const releasedAt = jog.released.get(`${of.target}.${of.field}`);
  if (!of.isHeld && releasedAt !== undefined)
    return `Released at ${quantity(releasedAt, of.unit)}; the joint returned to neutral.`;
  if (!of.isHeld) return "Hold a button to move the joint. On release it returns to neutral.";
  return "Hold a button, or an arrow key on a button, to move the joint. Release it to stop.";
}

/** @param {Jog} jog @param {Jogged} of @param {-1 | 1} direction */
function button(jog, of, direction) {
  const { target, field, limits } = of;
  const [low, high] = of.range;
  const hold = (/** @type {EventTarget | null} */ by, /** @type {number} */ to) => {
    heldBy = by;
    jog.hold({ target, field, limits }, to, high - low);
  };
  const release = () => jog.release();
  // A press on one button takes the focus from the other, which must not end the new hold.
  const blur = (/** @type {FocusEvent} */ event) => event.currentTarget === heldBy && release();
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (event.button !== 0) return;
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hold(event.currentTarget, direction);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const to = { ArrowLeft: -1, ArrowRight: 1, Enter: direction }[event.key]; // Space stops
    if (!to) return;
    event.preventDefault();
    if (!event.repeat) hold(event.currentTarget, to);
  };
  const isHeld = jog.direction === direction;
  return html`
    <button
      class="button ${isHeld ? "primary" : ""}"
      type="button"
      data-way=${direction}
      data-moves
      aria-label=${direction > 0 ? "Towards higher values" : "Towards lower values"}
      aria-disabled=${rarely(String(Boolean(of.refusal)))}
      @pointerdown=${down}
      @pointerup=${release}
      @pointercancel=${release}
      @lostpointercapture=${release}
      @contextmenu=${prevent}
      @keydown=${press}
      @keyup=${release}
      @blur=${blur}
    >
      ${direction > 0 ? "+" : "\u2212"}
    </button>
  `;
}
