// The button that lets the parts follow the face while it is held.

import { html } from "/vendor/lit-html/lit-html.js";
import { prevent } from "../../../lib/events.js";
import { rarely } from "../../../parts/live.js";
import { following, whyNotFollowed } from "./preview.js";
import { wizard } from "./wizard.js";

/** @param {import("../../../context.js").App} app */
export function holdToFollow(app) {
  const follow = following();
  const targets = [...new Set(wizard.proposed.map(({ output }) => output.target))];
  const why = targets.length
    ? whyNotFollowed(app)
    : "The bars and the robot follow after the first measured movement.";
  const hold = () => void (why || follow?.hold(targets));
  const release = () => follow?.release();
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
      class="button face-hold ${follow?.isHeld ? "primary" : ""}"
      type="button"
      data-hold
      data-moves
      aria-disabled=${rarely(String(Boolean(why)))}
      @pointerdown=${down}
      @pointerup=${release}
      @pointercancel=${release}
      @lostpointercapture=${release}
      @contextmenu=${prevent}
      @keydown=${press}
      @keyup=${release}
      @blur=${release}
    >
      Hold to let the robot follow
    </button>
    <p class="quiet" role="status" data-why>
      ${why || follow?.problem || (follow?.isHeld ? "Following. Release the button to stop." : "")}
    </p>
  `;
}
