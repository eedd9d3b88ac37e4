// The game pad card: choice of the pad, functions of its sticks and buttons, dead-man button.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import {
  gamepads,
  isDeadmanHeld,
  isPossible,
  padName,
  pressed,
  sticks,
} from "../../lib/control/gamepads.js";
import { PAD_BUTTONS } from "../../lib/control/stop-keys.js";
import { prevent, withValue } from "../../lib/events.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"draw" | "stopKeys" | "teleop">} App */

/** @param {App} app @param {boolean} isReady */
export const gamePad = (app, isReady) => html`
  <section class="pad-part" aria-labelledby="pad-title">
    <div class="section-head">
      <h2 id="pad-title">Game pad</h2>
      <span class="quiet">Drives only while L1, R1 or the button below is held</span>
    </div>
    <div class="card pad-card">${picker(app)} ${deadman(app, isReady)}</div>
  </section>
`;

/** @param {App} app */
function picker(app) {
  const { teleop } = app;
  if (!isPossible) {
    return html`<p class="notice">
      This browser allows game pads only over https or on localhost. Use the sticks, the keys or
      another browser.
    </p>`;
  }
  const pads = gamepads();
  if (!pads.length) {
    return html`
      <p class="quiet" data-pads="0">No game pad. Connect one and press any of its buttons.</p>
    `;
  }
  return html`
    <label class="pick">
      <span>Pad</span>
      <select
        data-pads=${pads.length}
        @change=${withValue((value) => ((teleop.chosen = Number(value)), app.draw()))}
      >
        ${pads.map(
          (pad) =>
            html`
              <option value=${pad.index} ?selected=${pad.index === teleop.pad?.index}>
                ${padName(pad)}
              </option>
            `,
        )}
      </select>
    </label>
    ${teleop.pad ? mapping(app, teleop.pad) : nothing}
    ${
      teleop.pad && teleop.pad.mapping !== "standard"
        ? html`
          <p class="notice">
            The layout of this pad is unknown. Test its sticks with the robot lifted first.
          </p>
        `
        : nothing
    }
  `;
}

/** List the functions of the pad with their live state. @param {App} app @param {Gamepad} pad */
function mapping(app, pad) {
  const { x, y, turnX, turnY } = sticks(pad);
  const now = pressed(pad);
  const { padButton } = app.stopKeys;
  const stopName = PAD_BUTTONS[/** @type {"none"} */ (padButton)] ?? padButton;
  return html`
    <dl class="axes">
      ${axes("Left stick", "drives", x, y)} ${axes("Right stick", "turns the head", turnX, turnY)}
      <dt>L1 or R1 <small>dead-man</small></dt>
      <dd class="number" data-deadman=${isDeadmanHeld(pad)}>
        ${isDeadmanHeld(pad) ? "held" : "released"}
      </dd>
      <dt>${stopName} <small>emergency stop</small></dt>
      <dd class="number" data-pad-stop>
        ${padButton === "none" ? "off" : now.includes(Number(padButton)) ? "pressed" : "ready"}
      </dd>
      <dt>D-pad up, down <small>top speed</small></dt>
      <dd class="number">${Math.round(app.teleop.share * 100)} %</dd>
    </dl>
  `;
}

/** @param {string} name @param {string} does @param {number} across @param {number} up */
const axes = (name, does, across, up) => html`
  <dt>${name} <small>${does}</small></dt>
  <dd>
    <span class="track both"><i ${bar(across, -1, 1)}></i></span>
    <span class="track both"><i ${bar(up, -1, 1)}></i></span>
  </dd>
`;

/** @param {App} app @param {boolean} isReady */
function deadman(app, isReady) {
  const { teleop } = app;
  if (!teleop.pad) return nothing;
  /** @param {PointerEvent} event */
  const down = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    teleop.isButtonHeld = true;
    app.draw();
  };
  const up = () => ((teleop.isButtonHeld = false), app.draw());
  return html`
    <button
      type="button"
      class="hold ${teleop.isButtonHeld ? "is-held" : ""}"
      data-hold
      ?disabled=${!isReady}
      @pointerdown=${down}
      @pointerup=${up}
      @pointercancel=${up}
      @lostpointercapture=${up}
      @contextmenu=${prevent}
    >
      Hold to drive
    </button>
  `;
}
