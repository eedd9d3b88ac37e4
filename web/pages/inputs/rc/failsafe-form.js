// What a lost signal means, and when it counts as lost.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../../lib/api.js";
import { onSubmit, withValue } from "../../../lib/events.js";
import { mayOperate } from "../../../lib/levels.js";
import { watches } from "../watches.js";

/** @typedef {import("../../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").FailsafeInfo} FailsafeInfo */
/** @typedef {Exclude<keyof FailsafeInfo, "action">} Limit */
/** @typedef {Partial<Record<Limit, string> & Pick<FailsafeInfo, "action">>} Given */

/** @type {[FailsafeInfo["action"], string, string][]} */
const ACTIONS = [
  ["hold", "Hold", "Positions stay, wheels rest, nobody else takes over."],
  [
    "neutral",
    "Go to neutral",
    "Positions go to their middle, wheels rest, nobody else takes over.",
  ],
  ["estop", "Emergency stop", "It must be released by hand, once the signal is back."],
  ["passthrough", "Let go", "Other inputs may drive the robot at once."],
];
/** Name, text, lowest, highest, as rcd allows them. @type {[Limit, string, number, number][]} */
const NUMBERS = [
  ["timeout_ms", "Lost after, ms without a frame", 40, 2000],
  ["lost_frames", "Lost after, marked frames in a row", 1, 1000],
  ["recovery_ms", "Counts again after, ms", 0, 10000],
];

/** @type {{draft: Given, faults: Record<string, string>, refusal: string, isBusy: boolean}} */
const state = { draft: {}, faults: {}, refusal: "", isBusy: false };

/** @param {App} app */
export function failsafeForm(app) {
  const { data } = watches.failsafe;
  if (!data) return html`<article class="card setup-card skeleton"></article>`;
  const shown = { ...data, ...state.draft };
  const keys = /** @type {(keyof Given)[]} */ (Object.keys(state.draft));
  const isChanged = keys.some((key) => String(state.draft[key]) !== String(data[key]));
  const mayChange = mayOperate(app) && !state.isBusy;
  return html`
    <form class="card form setup-card" data-failsafe novalidate
      @submit=${onSubmit(() => save(app, data))}>
      <h3>When the signal is lost</h3>
      <fieldset class="options" ?disabled=${!mayChange}>
        <legend class="hidden">What the robot does</legend>
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
              <button class="button plain" type="button" @click=${() => (forget(), app.draw())}>
                Undo
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
      state.faults[key] = `A whole number from ${low} to ${high}.`;
    }
  }
}

function forget() {
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
    watches.failsafe.data = await app.api.request("rc", "set_failsafe", wanted);
    forget();
    app.toasts.done("What a lost signal means was saved. Try it with a failsafe drill.");
  } catch (err) {
    const { message, fix } = problemOf(err);
    const field = /params\.(\w+)/.exec(message)?.[1] ?? "";
    if (NUMBERS.some(([key]) => key === field)) state.faults = { [field]: message };
    else state.refusal = [message, fix].filter(Boolean).join(" ");
  }
  state.isBusy = false;
  app.draw();
}
