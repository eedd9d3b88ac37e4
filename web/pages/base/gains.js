// Gains of the stability assist: all three are set together; while the wagon is armed, in small
// steps. The board does not report its own, so the fields begin with those that were set last.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./state.js").Wagon} Wagon */

const NAMES = /** @type {const} */ (["kp", "ki", "kd"]);
const TITLES = { kp: "deviation", ki: "integral", kd: "rate" };
const MOST = 100; // lib/wagon/meanings.py

const form = {
  /** @type {Partial<Record<"kp" | "ki" | "kd", string>>} */ typed: {},
  isBusy: false,
  refusal: "",
};

/** @param {App} app @param {Wagon} wagon */
export function gains(app, wagon) {
  const isArmed = wagon.state === "armed";
  const isKnown = wagon.gains.length === NAMES.length;
  const hasChanged = Object.keys(form.typed).length > 0;
  return html`
    <section class="card base-gains" aria-labelledby="gains-title">
      <header>
        <h2 id="gains-title">Gains</h2>
        <span class="chip idle">${isKnown ? "as set last" : "not set since the start"}</span>
      </header>
      <form @submit=${onSubmit(() => save(app, wagon))}>
        ${NAMES.map(
          (name, index) => html`
            <label class="entry">
              <span>${name} <small class="quiet">${TITLES[name]}</small></span>
              <input
                type="number"
                required
                min="0"
                max=${MOST}
                step="any"
                data-gain=${name}
                ?disabled=${!isAdmin(app) || form.isBusy}
                .value=${form.typed[name] ?? String(wagon.gains[index] ?? "")}
                @input=${withValue((text) => ((form.typed[name] = text), app.draw()))}
              >
            </label>
          `,
        )}
        ${form.refusal ? html`<p class="refusal" role="alert">${form.refusal}</p>` : nothing}
        <button
          class="button"
          type="submit"
          data-set-gains
          ?disabled=${!isAdmin(app) || form.isBusy || !hasChanged || (isArmed && !isKnown)}
        >
          Set gains
        </button>
      </form>
      <small class="quiet">
        ${
          isArmed
            ? "While armed: steps of 10 % or 0.05 at most, one per second."
            : "Set them while the wagon is disarmed, later in small steps."
        }
        ${isAdmin(app) ? nothing : "Needs the role admin."}
      </small>
    </section>
  `;
}

/** @param {App} app @param {Wagon} wagon */
async function save(app, wagon) {
  const [kp, ki, kd] = NAMES.map((name, index) => Number(form.typed[name] ?? wagon.gains[index]));
  Object.assign(form, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await app.api.request("wagon", "set_gains", { kp, ki, kd });
    form.typed = {};
    app.toasts.done("The gains were set.");
  } catch (err) {
    form.refusal = sentenceOf(err);
  }
  form.isBusy = false;
  app.draw();
}
