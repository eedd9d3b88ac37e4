// The two sticks on the screen: the left one drives, the right one turns the head. Each follows one
// finger.

import { html } from "/vendor/lit-html/lit-html.js";
import { prevent } from "../lib/events.js";
import { targetName } from "../lib/format.js";

/** @typedef {import("../context.js").With<"draw" | "robot" | "teleop">} App */
/** @typedef {{x: number, y: number, isHeld: boolean}} Stick */

/**
 * Place of each held stick when it was pressed, so that a page that scrolls or grows changes no
 * command: the finger has not moved.
 * @type {WeakMap<EventTarget, DOMRect>}
 */
const places = new WeakMap();

/** @param {App} app @param {boolean} isReady */
export const driveStick = (app, isReady) => html`
  <section class="stick-part is-base" aria-labelledby="stick-title">
    <div class="section-head">
      <h2 id="stick-title">${targetName(app.robot?.base || "tracks")}</h2>
    </div>
    <div class="stick-place">
      ${stick(app, () => app.teleop.stick, isReady, "Drive stick", "drive")}
    </div>
    <small class="quiet">Drives while held</small>
  </section>
`;

/** @param {App} app @param {boolean} isReady */
export const lookStick = (app, isReady) => html`
  <section class="stick-part is-head" aria-labelledby="look-title">
    <div class="section-head"><h2 id="look-title">Head</h2></div>
    <div class="stick-place">
      ${stick(app, () => app.teleop.look, isReady, "Head stick", "look")}
    </div>
    <small class="quiet">Turns the head while held</small>
  </section>
`;

/**
 * @param {App} app @param {() => Stick} held current stick, which teleop may replace
 * @param {boolean} isReady @param {string} name @param {"drive" | "look"} kind
 */
function stick(app, held, isReady, name, kind) {
  const now = held();
  /** @param {PointerEvent} event */
  const move = (event) => {
    const at = held();
    if (!at.isHeld) return;
    const area = /** @type {HTMLElement} */ (event.currentTarget);
    const box = places.get(area) ?? area.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const far = Math.max(1, Math.hypot(x, y));
    [at.x, at.y] = [x / far, y / far];
    place(area, at);
    app.draw();
  };
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (!isReady || held().isHeld) return;
    event.preventDefault();
    const area = /** @type {HTMLElement} */ (event.currentTarget);
    area.setPointerCapture(event.pointerId);
    places.set(area, area.getBoundingClientRect());
    held().isHeld = true;
    move(event);
  };
  /** @param {PointerEvent} event */
  const up = (event) => {
    const at = held();
    [at.x, at.y, at.isHeld] = [0, 0, false];
    place(/** @type {HTMLElement} */ (event.currentTarget), at);
    app.draw();
  };
  return html`
    <div
      class="stick ${now.isHeld ? "is-held" : ""} ${isReady ? "" : "is-off"}"
      role="img"
      aria-label=${`${name} for touch or mouse; the keys below do the same`}
      ?data-stick=${kind === "drive"}
      ?data-look=${kind === "look"}
      @pointerdown=${down}
      @pointermove=${move}
      @pointerup=${up}
      @pointercancel=${up}
      @lostpointercapture=${up}
      @contextmenu=${prevent}
    >
      <i class="knob"></i>
    </div>
  `;
}

/** @param {HTMLElement} area @param {{x: number, y: number}} at */
function place(area, at) {
  const knob = /** @type {HTMLElement} */ (area.firstElementChild);
  const reach = (area.clientWidth - knob.offsetWidth) / 2;
  knob.style.transform = `translate(${at.x * reach}px, ${-at.y * reach}px)`;
}
