// How rivals for one output are combined, and when a source counts as lost: for all routes.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit } from "../../lib/events.js";
import { dialog } from "../../parts/dialog.js";
import { faultOf } from "./editor/field-errors.js";
import { MODES } from "./editor/rules.js";
import { numberEntry, numberOf } from "./entry.js";
import { KINDS } from "./model.js";
import { isOff, routes } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/**
 * @typedef {object} OpenBlending
 * @property {Blending} now
 * @property {Record<string, number | "">} timeouts by class of sources; empty: the usual one
 * @property {import("./editor/field-errors.js").Fault | null} fault
 * @property {boolean} isBusy
 */
/** @typedef {import("../../lib/types.js").Blending} Blending */

const USUAL_MS = {
  rc: 120,
  livelink: 500,
  websocket: 300,
  autonomous: 300,
  leader: 300,
  safety: 300,
};

/** @param {App} app */
export function blending(app) {
  const now = routes.blending;
  if (!now) return nothing;
  const own = Object.entries(now.fields);
  return html`
    <section aria-labelledby="blending-title" data-blending>
      <div class="section-head">
        <h2 id="blending-title">When several want the same output</h2>
        <button
          class="button small"
          type="button"
          ?disabled=${isOff(app)}
          @click=${() => open(app, now)}
        >
          Change…
        </button>
      </div>
      <dl class="card facts-list routes-rules">
        <dt>Together they make</dt>
        <dd>${MODES[now.mode]}</dd>
        ${own.map(([field, mode]) => html`<dt>${field}</dt><dd>${MODES[mode]}</dd>`)}
        <dt>A change of control fades over</dt>
        <dd>${now.blend_time_ms} ms</dd>
        <dt>Who was lost must be steady for</dt>
        <dd>${now.hysteresis_ms} ms</dd>
        <dt>Silent for longer is lost</dt>
        <dd>
          ${KINDS.map((kind) => `${kind} ${timeout(now, kind) || USUAL_MS[kind]} ms`).join(", ")}
        </dd>
      </dl>
    </section>
  `;
}

/**
 * What was set for a class; empty: nothing.
 * @param {Blending} now
 * @param {string} kind
 * @returns {number | ""}
 */
function timeout({ source_timeout_ms: told }, kind) {
  return typeof told === "number" ? told : (told?.[kind] ?? "");
}

/** @param {App} app @param {Blending} now */
function open(app, now) {
  /** @type {OpenBlending["timeouts"]} */
  const timeouts = Object.fromEntries(KINDS.map((kind) => [kind, timeout(now, kind)]));
  app.dialogs.blending = { now: { ...now }, timeouts, fault: null, isBusy: false };
  app.draw();
}

/** @param {App} app */
export function blendingDialog(app) {
  const asked = app.dialogs.blending;
  const close = () => ((app.dialogs.blending = null), app.draw());
  return dialog(
    asked,
    close,
    (asked) => form(app, asked, close),
    "When several want the same output",
  );
}

/** @param {App} app @param {OpenBlending} asked @param {() => void} close */
async function save(app, asked, close) {
  const told = Object.entries(asked.timeouts).flatMap(([kind, value]) =>
    value === "" ? [] : [/** @type {const} */ ([kind, value])],
  );
  const wanted = { ...asked.now, source_timeout_ms: told.length ? Object.fromEntries(told) : null };
  Object.assign(asked, { isBusy: true, fault: null });
  try {
    await routes.change(app, "Change how rivals are combined", () =>
      app.api.request("router", "set_blending", { blending: wanted }),
    );
    close();
    app.toasts.done("How rivals are combined is changed.");
  } catch (err) {
    Object.assign(asked, { isBusy: false, fault: faultOf(err) });
  }
  app.draw();
}

/**
 * @param {App} app
 * @param {Record<string, number | "">} timeouts
 * @param {(key: string) => string} wrong
 */
const silences = (app, timeouts, wrong) => html`
  <fieldset>
    <legend>Lost after, in ms</legend>
    <div class="pair">
      ${KINDS.map((kind) =>
        numberEntry(
          {
            key: `source_timeout_ms.${kind}`,
            label: kind,
            wrong: wrong(`source_timeout_ms.${kind}`),
          },
          timeouts[kind],
          (value) => ((timeouts[kind] = value), app.draw()),
          { placeholder: String(USUAL_MS[kind]), step: 1 },
        ),
      )}
    </div>
  </fieldset>
`;

/** @param {App} app @param {OpenBlending} asked @param {() => void} close */
function form(app, asked, close) {
  const { now, fault } = asked;
  const wrong = (/** @type {string} */ key) => (fault?.key === key ? fault.text : "");
  const set = (/** @type {Partial<Blending>} */ more) => (Object.assign(now, more), app.draw());
  const submit = onSubmit(() => save(app, asked, close));
  return html`
    <form class="form" novalidate @submit=${submit}>
      <h2>When several want the same output</h2>
      <fieldset class="options">
        <legend>Together they make</legend>
        ${
          /** @type {Blending["mode"][]} */ (Object.keys(MODES)).map(
            (mode) => html`<label class="option">
            <input
              type="radio"
              name="mode"
              value=${mode}
              .checked=${now.mode === mode}
              @change=${() => set({ mode })}
            >
            <span>${MODES[mode]}</span>
          </label>`,
          )
        }
      </fieldset>
      <div class="pair">
        ${numberEntry(
          {
            key: "blend_time_ms",
            label: "Fade, in ms",
            wrong: wrong("blend_time_ms"),
            hint: "0 to 10 000",
          },
          now.blend_time_ms,
          (given) => set({ blend_time_ms: numberOf(given) }),
          { step: 1 },
        )}
        ${numberEntry(
          {
            key: "hysteresis_ms",
            label: "Steady for, in ms",
            wrong: wrong("hysteresis_ms"),
            hint: "0 to 5 000, after a loss",
          },
          now.hysteresis_ms,
          (given) => set({ hysteresis_ms: numberOf(given) }),
          { step: 1 },
        )}
      </div>
      ${silences(app, asked.timeouts, wrong)}
      <p class="refusal" role="alert">${fault?.whole ?? ""}</p>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button class="button primary" type="submit" ?disabled=${asked.isBusy}>
          ${asked.isBusy ? "One moment…" : "Save"}
        </button>
      </div>
    </form>
  `;
}
