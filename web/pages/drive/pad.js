// A game pad: which one, what its sticks and buttons do, whether its dead-man is held.

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
      <span class="quiet">Moves only while L1, R1 or the button below is held</span>
    </div>
    <div class="card pad-card">${picker(app)} ${deadman(app, isReady)}</div>
  </section>
`;

/** @param {App} app */
function picker(app) {
  const { teleop: hand } = app;
  if (!isPossible) {
    return html`<p class="notice">
      This browser gives game pads only to pages over https or on localhost. Use the sticks, the
      keys, or another browser.
    </p>`;
  }
  const pads = gamepads();
  if (!pads.length) {
    return html`
      <p class="quiet" data-pads="0">No game pad yet. Connect one, then press any button on it.</p>
    `;
  }
  return html`
    <label class="pick">
      <span>Pad</span>
      <select
        data-pads=${pads.length}
        @change=${withValue((value) => ((hand.chosen = Number(value)), app.draw()))}
      >
        ${pads.map(
          (pad) =>
            html`
              <option value=${pad.index} ?selected=${pad.index === hand.pad?.index}>
                ${padName(pad)}
              </option>
            `,
        )}
      </select>
    </label>
    ${hand.pad ? mapping(app, hand.pad) : nothing}
    ${
      hand.pad && hand.pad.mapping !== "standard"
        ? html`
          <p class="notice">
            This browser does not know how this pad is laid out: try its sticks with the robot
            lifted first.
          </p>
        `
        : nothing
    }
  `;
}

/** What does what, with what is moved or pressed now. @param {App} app @param {Gamepad} pad */
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
      <dt>Cross up, down <small>top speed</small></dt>
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
  const { teleop: hand } = app;
  if (!hand.pad) return nothing;
  /** @param {PointerEvent} event */
  const down = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hand.isButtonHeld = true;
    app.draw();
  };
  const up = () => ((hand.isButtonHeld = false), app.draw());
  return html`
    <button
      type="button"
      class="hold ${hand.isButtonHeld ? "is-held" : ""}"
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
