// The card that moves a hand to a place: metres in the frame of base_link. The robot refuses places
// that the arm cannot reach, in words; what stops an arm on its way stands here too.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { mayOperate } from "../../lib/levels.js";
import { errorLine } from "../../parts/dialog.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "robot" | "store" | "toasts">} App */

const SIDES = /** @type {const} */ (["left", "right"]);
const AXES = /** @type {const} */ ([
  ["x", "Forward"],
  ["y", "Left"],
  ["z", "Up"],
]);

/** What the form holds; it stays while the page is open. */
const form = {
  arm: /** @type {"left" | "right"} */ ("left"),
  x: 0.4,
  y: 0.3,
  z: 0.6,
  isBusy: false,
  refusal: "",
};

/** @param {App} app */
export function handCard(app) {
  const arms = SIDES.filter((side) => app.robot?.hands?.includes(`arms.${side}`));
  if (!arms.length) return nothing;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isReady = app.api.state === "open" && mayOperate(app) && !isStopped && !form.isBusy;
  const reason = app.store.data.arms?.[form.arm]?.error_message ?? "";
  return html`
    <form
      class="card hand-form"
      aria-label="Move a hand"
      @submit=${(/** @type {Event} */ event) => move(app, event)}
    >
      <h2>Move a hand</h2>
      <div class="hand-row">
        <label>
          Arm
          <select @change=${(/** @type {Event} */ event) => choose(app, event)}>
            ${arms.map(
              (side) => html`<option value=${side} ?selected=${side === form.arm}>${side}</option>`,
            )}
          </select>
        </label>
        ${AXES.map(([axis, title]) => number(axis, title))}
        <button class="button primary" type="submit" ?disabled=${!isReady}>Move hand</button>
      </div>
      ${form.refusal ? errorLine(form.refusal, "Refused") : nothing}
      ${reason ? html`<p class="quiet" role="status">${reason}</p>` : nothing}
    </form>
  `;
}

/** @param {"x" | "y" | "z"} axis @param {string} title */
const number = (axis, title) => html`
  <label>
    ${title}, m
    <input
      type="number"
      step="0.01"
      min="-10"
      max="10"
      required
      data-axis=${axis}
      .value=${String(form[axis])}
      @change=${(/** @type {Event} */ event) => {
        form[axis] = /** @type {HTMLInputElement} */ (event.target).valueAsNumber;
      }}
    >
  </label>
`;

/** @param {App} app @param {Event} event */
function choose(app, event) {
  const { value } = /** @type {HTMLSelectElement} */ (event.target);
  if (value !== form.arm) form.y = -form.y; // the same place of the other hand
  form.arm = value === "right" ? "right" : "left";
  form.refusal = "";
  app.draw();
}

/** @param {App} app @param {Event} event */
async function move(app, event) {
  event.preventDefault();
  Object.assign(form, { isBusy: true, refusal: "" });
  app.draw();
  const { arm, x, y, z } = form;
  try {
    await app.api.request("arms", "move_hand", { arm, x, y, z });
    app.toasts.done(`The ${arm} hand moves.`);
  } catch (err) {
    form.refusal = /** @type {Error} */ (err).message;
  }
  form.isBusy = false;
  app.draw();
}
