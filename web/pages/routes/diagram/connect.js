// Connects an input to an output: by dragging with mouse or finger, or by selecting one after the
// other. Not here: creating the mapping (mapping-dialog.js).

import { mayOperate } from "../../../lib/levels.js";
import { openMapping } from "./mapping-dialog.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {{source: string, name: string}} Input */

const SLACK_PX = 6; // less motion is a press and not a drag

const ENDS = /** @type {const} */ (["pointerup", "pointercancel"]);

export class Connector {
  /** Selected input. @type {Input | null} */ input = null;
  /** Present drag, in pixels of the diagram. @type {{x: number, y: number, over: string} | null} */
  drag = null;
  #wasDragged = false;

  /** Cancel selection and drag. */
  clear() {
    [this.input, this.drag] = [null, null];
  }

  /** @param {App} app @param {Input} input @param {PointerEvent} event on the input's row */
  down(app, input, event) {
    const row = /** @type {HTMLElement} */ (event.currentTarget);
    const isPin = event.target instanceof Element && Boolean(event.target.closest(".pin"));
    // a finger on the row scrolls
    if (!mayOperate(app) || event.button !== 0 || (event.pointerType !== "mouse" && !isPin)) return;
    const area = /** @type {HTMLElement} */ (row.closest("[data-flow]"));
    const start = { x: event.clientX, y: event.clientY };
    const move = (/** @type {PointerEvent} */ at) => {
      if (!this.drag && Math.hypot(at.clientX - start.x, at.clientY - start.y) < SLACK_PX) return;
      const box = area.getBoundingClientRect();
      this.input = input;
      this.drag = {
        x: at.clientX - box.left,
        y: at.clientY - box.top,
        over: outputAt(at.clientX, at.clientY),
      };
      app.draw();
    };
    const end = (/** @type {PointerEvent} */ at) => {
      row.removeEventListener("pointermove", move);
      for (const name of ENDS) row.removeEventListener(name, end);
      if (!this.drag) return;
      const over = at.type === "pointerup" ? this.drag.over : "";
      this.#wasDragged = true; // ignores the click that follows
      setTimeout(() => (this.#wasDragged = false));
      this.clear();
      if (over) openMapping(app, input, over);
      app.draw();
    };
    row.setPointerCapture(event.pointerId); // the pointer may leave the row with its first move
    row.addEventListener("pointermove", move);
    for (const name of ENDS) row.addEventListener(name, end);
  }

  /** Select an input, or cancel its selection. @param {App} app @param {Input} input */
  select(app, input) {
    if (this.#wasDragged || !mayOperate(app)) return;
    const isSame = this.input?.source === input.source && this.input.name === input.name;
    this.input = isSame ? null : input;
    app.draw();
  }

  /** @param {App} app @param {string} field @returns {boolean} whether an input was selected */
  connect(app, field) {
    if (!this.input) return false;
    const input = this.input;
    this.clear();
    openMapping(app, input, field);
    return true;
  }
}

/** Return the output at a point of the window. @param {number} x @param {number} y */
function outputAt(x, y) {
  const row = document.elementFromPoint(x, y)?.closest("[data-output]");
  return row instanceof HTMLElement ? (row.dataset.output ?? "") : "";
}
