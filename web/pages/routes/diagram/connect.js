// From an input to an output: pulled with the mouse or a finger, or one chosen after the other with
// the keyboard. Not here: what comes of it (mapping.js).

import { mayOperate } from "../../../lib/levels.js";
import { openMapping } from "./mapping-dialog.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "store" | "toasts">} App
 */
/** @typedef {{source: string, name: string}} Input */

const SLACK_PX = 6; // a press that moves less is a press

const ENDS = /** @type {const} */ (["pointerup", "pointercancel"]);

export class Pick {
  /** Chosen, waiting for an output. @type {Input | null} */ input = null;
  /** Pulled now, in the picture's pixels. @type {{x: number, y: number, over: string} | null} */
  pull = null;
  #wasPulled = false;

  /** Let go of everything. */
  clear() {
    [this.input, this.pull] = [null, null];
  }

  /** @param {App} app @param {Input} input @param {PointerEvent} event on the input's row */
  down(app, input, event) {
    const row = /** @type {HTMLElement} */ (event.currentTarget);
    const isPin = event.target instanceof Element && Boolean(event.target.closest(".pin"));
    // fingers scroll
    if (!mayOperate(app) || event.button !== 0 || (event.pointerType !== "mouse" && !isPin)) return;
    const area = /** @type {HTMLElement} */ (row.closest("[data-flow]"));
    const start = { x: event.clientX, y: event.clientY };
    const move = (/** @type {PointerEvent} */ at) => {
      if (!this.pull && Math.hypot(at.clientX - start.x, at.clientY - start.y) < SLACK_PX) return;
      const box = area.getBoundingClientRect();
      this.input = input;
      this.pull = {
        x: at.clientX - box.left,
        y: at.clientY - box.top,
        over: outputAt(at.clientX, at.clientY),
      };
      app.draw();
    };
    const end = (/** @type {PointerEvent} */ at) => {
      row.removeEventListener("pointermove", move);
      for (const name of ENDS) row.removeEventListener(name, end);
      if (!this.pull) return;
      const over = at.type === "pointerup" ? this.pull.over : "";
      this.#wasPulled = true; // the click that follows is none
      setTimeout(() => (this.#wasPulled = false));
      this.clear();
      if (over) openMapping(app, input, over);
      app.draw();
    };
    row.setPointerCapture(event.pointerId); // a quick hand has left the row by its first movement
    row.addEventListener("pointermove", move);
    for (const name of ENDS) row.addEventListener(name, end);
  }

  /** Chosen by a press or by Enter; once more lets go. @param {App} app @param {Input} input */
  choose(app, input) {
    if (this.#wasPulled || !mayOperate(app)) return;
    const isSame = this.input?.source === input.source && this.input.name === input.name;
    this.input = isSame ? null : input;
    app.draw();
  }

  /** @param {App} app @param {string} field @returns {boolean} whether an input waited for it */
  give(app, field) {
    if (!this.input) return false;
    const input = this.input;
    this.clear();
    openMapping(app, input, field);
    return true;
  }
}

/** The output under a point of the window. @param {number} x @param {number} y */
function outputAt(x, y) {
  const row = document.elementFromPoint(x, y)?.closest("[data-output]");
  return row instanceof HTMLElement ? (row.dataset.output ?? "") : "";
}
