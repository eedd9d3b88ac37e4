// The failsafe form: what the robot does when the RC signal is lost, and when it counts as lost.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../../lib/api.js";
import { onSubmit, withValue } from "../../../lib/events.js";
import { mayOperate } from "../../../lib/levels.js";
import { polls } from "../polls.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").FailsafeInfo} FailsafeInfo */
/** @typedef {Exclude<keyof FailsafeInfo, "action">} Limit */
/** @typedef {Partial<Record<Limit, string> & Pick<FailsafeInfo, "action">>} Given */

/** @type {[FailsafeInfo["action"], string, string][]} */
const ACTIONS = [
  ["hold", "Hold", "Positions hold, wheels rest, and RC keeps control."],
  ["neutral", "Move to neutral", "Positions move to neutral, wheels rest, and RC keeps control."],
  ["estop", "Emergency stop", "Clear the stop by hand when the signal is back."],
  ["passthrough", "Release control", "Other inputs may take over at once."],
];
/** Name, title, lowest, highest, as rcd allows them. @type {[Limit, string, number, number][]} */
const NUMBERS = [
  ["timeout_ms", "Longest gap between frames, ms", 40, 2000],
  ["lost_frames", "Frames marked lost in a row", 1, 1000],
  ["recovery_ms", "Recovery time, ms", 0, 10000],
];

/** @type {{draft: Given, faults: Record<string, string>, refusal: string, isBusy: boolean}} */
const state = { draft: {}, faults: {}, refusal: "", isBusy: false };

/** @param {App} app */
export function failsafeForm(app) {
  const { data } = polls.failsafe;
  if (!data) return html`<article class="card setup-card skeleton"></article>`;
  const shown = { ...data, ...state.draft };
  const keys = /** @type {(keyof Given)[]} */ (Object.keys(state.draft));
  const isChanged = keys.some((key) => String(state.draft[key]) !== String(data[key]));
  const mayChange = mayOperate(app) && !state.isBusy;
  return html`
    <form class="card form setup-card" data-failsafe novalidate
      @submit=${onSubmit(() => save(app, data))}>
      <h2>When the signal is lost</h2>
      <fieldset class="options" ?disabled=${!mayChange}>
        <legend class="hidden">Failsafe action</legend>
        ${ACTIONS.map(
          ([key, title, text]) => html`
            <label class="option">
              <input
                type="radio"
                name="failsafe-action"
                value=${key}
                .checked=${shown.action === key}
                @change=${() => ((state.draft.action = key), app.draw())}>
              <span><b>${title}</b><small>${text}</small></span>
            </label>
          `,
        )}
      </fieldset>
      ${NUMBERS.map(([key, title, low, high]) =>
        number(app, shown, key, title, low, high, mayChange),
      )}
      <p class="refusal" role="alert">${state.refusal || nothing}</p>
      <div class="actions">
        ${
          isChanged
            ? html`
              <button class="button plain" type="button" @click=${() => (discard(), app.draw())}>
                Discard changes
              </button>
            `
            : nothing
        }
        <button
          class="button primary"
          type="submit"
          data-save-failsafe
          ?disabled=${!mayChange || !isChanged}
        >
          ${state.isBusy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  `;
}

/**
 * @param {App} app @param {Record<Limit, number | string>} shown @param {Limit} key @param {string}
 * title
 * @param {number} low @param {number} high @param {boolean} mayChange
 */
function number(app, shown, key, title, low, high, mayChange) {
  const fault = state.faults[key];
  return html`
    <label class="entry ${fault ? "is-wrong" : ""}">
      <span>${title}</span>
      <input
        name=${key}
        type="number"
        inputmode="numeric"
        min=${low}
        max=${high}
        step="1"
        ?disabled=${!mayChange}
        .value=${String(shown[key])} aria-invalid=${fault ? "true" : "false"}
        aria-describedby=${fault ? `failsafe-${key}` : nothing}
        @input=${withValue((value) => ((state.draft[key] = value), check(), app.draw()))}>
      ${fault ? html`<small class="wrong" id=${`failsafe-${key}`}>${fault}</small>` : nothing}
    </label>
  `;
}

function check() {
  state.faults = {};
  for (const [key, , low, high] of NUMBERS) {
    const given = state.draft[key];
    if (given === undefined) continue;
    const value = Number(given);
    if (given === "" || !Number.isInteger(value) || value < low || value > high) {
      state.faults[key] = `Enter a whole number from ${low} to ${high}.`;
    }
  }
}

function discard() {
  Object.assign(state, { draft: {}, faults: {}, refusal: "" });
}

/** @param {App} app @param {FailsafeInfo} before */
async function save(app, before) {
  check();
  if (Object.keys(state.faults).length) return app.draw();
  const { action = before.action, ...numbers } = state.draft;
  const given = Object.fromEntries(
    Object.entries(numbers).map(([key, value]) => [key, Number(value)]),
  );
  Object.assign(state, { isBusy: true, refusal: "" });
  app.draw();
  try {
    const wanted = /** @type {Partial<FailsafeInfo>} */ ({ action, ...given });
    polls.failsafe.data = await app.api.request("rc", "set_failsafe", wanted);
    discard();
    app.toasts.done("Failsafe settings saved. Test them with a failsafe drill.");
  } catch (err) {
    const { message, fix } = problemOf(err);
    const field = /params\.(\w+)/.exec(message)?.[1] ?? "";
    if (NUMBERS.some(([key]) => key === field)) state.faults = { [field]: message };
    else state.refusal = [message, fix].filter(Boolean).join(" ");
  }
  state.isBusy = false;
  app.draw();
}
