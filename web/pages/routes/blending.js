// Blending for all routes: how contenders for one output are combined, and when a source times out.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit } from "../../lib/events.js";
import { sourceName } from "../../lib/format.js";
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
 * @property {Record<string, number | "">} timeouts by class of sources; empty: the default
 * @property {import("./editor/field-errors.js").Fault | null} fault
 * @property {boolean} isBusy
 */
/** @typedef {import("../../lib/types.js").Blending} Blending */

const DEFAULT_TIMEOUT_MS = {
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
        <h2 id="blending-title">Blending of several inputs</h2>
        <button
          class="button small"
          type="button"
          ?disabled=${isOff(app)}
          @click=${() => open(app, now)}
        >
          Change blending…
        </button>
      </div>
      <dl class="card facts-list routes-rules">
        <dt>Output</dt>
        <dd>${MODES[now.mode]}</dd>
        ${own.map(([field, mode]) => html`<dt>${field}</dt><dd>${MODES[mode]}</dd>`)}
        <dt>Fade at a change of control</dt>
        <dd>${now.blend_time_ms} ms</dd>
        <dt>Recovery time after a loss</dt>
        <dd>${now.hysteresis_ms} ms</dd>
        <dt>Time-out</dt>
        <dd>
          ${KINDS.map((kind) => timeoutText(now, kind)).join(", ")}
        </dd>
      </dl>
    </section>
  `;
}

/**
 * Return the time-out set for a class; "" if none is set.
 * @param {Blending} now
 * @param {string} kind
 * @returns {number | ""}
 */
function timeout({ source_timeout_ms: set }, kind) {
  return typeof set === "number" ? set : (set?.[kind] ?? "");
}

/** @param {Blending} now @param {keyof typeof DEFAULT_TIMEOUT_MS} kind */
const timeoutText = (now, kind) =>
  `${sourceName(kind)} ${timeout(now, kind) || DEFAULT_TIMEOUT_MS[kind]} ms`;

/** @param {App} app @param {Blending} now */
function open(app, now) {
  /** @type {OpenBlending["timeouts"]} */
  const timeouts = Object.fromEntries(KINDS.map((kind) => [kind, timeout(now, kind)]));
  app.dialogs.blending = { now: { ...now }, timeouts, fault: null, isBusy: false };
  app.draw();
}

/** @param {App} app */
export function blendingDialog(app) {
  const close = () => ((app.dialogs.blending = null), app.draw());
  return dialog(
    app.dialogs.blending,
    close,
    (open) => form(app, open, close),
    "Blending of several inputs",
  );
}

/** @param {App} app @param {OpenBlending} open @param {() => void} close */
async function save(app, open, close) {
  const set = Object.entries(open.timeouts).flatMap(([kind, value]) =>
    value === "" ? [] : [/** @type {const} */ ([kind, value])],
  );
  const blending = { ...open.now, source_timeout_ms: set.length ? Object.fromEntries(set) : null };
  Object.assign(open, { isBusy: true, fault: null });
  try {
    await routes.change(app, "Change blending", () =>
      app.api.request("router", "set_blending", { blending }),
    );
    close();
    app.toasts.done("Blending saved.");
  } catch (err) {
    Object.assign(open, { isBusy: false, fault: faultOf(err) });
  }
  app.draw();
}

/**
 * @param {App} app
 * @param {Record<string, number | "">} timeouts
 * @param {(key: string) => string} wrong
 */
const timeoutFields = (app, timeouts, wrong) => html`
  <fieldset>
    <legend>Time-out, ms</legend>
    <div class="pair">
      ${KINDS.map((kind) =>
        numberEntry(
          {
            key: `source_timeout_ms.${kind}`,
            label: sourceName(kind),
            wrong: wrong(`source_timeout_ms.${kind}`),
          },
          timeouts[kind],
          (value) => ((timeouts[kind] = value), app.draw()),
          { placeholder: String(DEFAULT_TIMEOUT_MS[kind]), step: 1 },
        ),
      )}
    </div>
  </fieldset>
`;

/** @param {App} app @param {OpenBlending} open @param {() => void} close */
function form(app, open, close) {
  const { now, fault } = open;
  const wrong = (/** @type {string} */ key) => (fault?.key === key ? fault.text : "");
  const set = (/** @type {Partial<Blending>} */ more) => (Object.assign(now, more), app.draw());
  const submit = onSubmit(() => save(app, open, close));
  return html`
    <form class="form" novalidate @submit=${submit}>
      <h2>Blending of several inputs</h2>
      <fieldset class="options">
        <legend>Output</legend>
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
            label: "Fade, ms",
            wrong: wrong("blend_time_ms"),
            hint: "0 to 10 000, at a change of control",
          },
          now.blend_time_ms,
          (given) => set({ blend_time_ms: numberOf(given) }),
          { step: 1 },
        )}
        ${numberEntry(
          {
            key: "hysteresis_ms",
            label: "Recovery time, ms",
            wrong: wrong("hysteresis_ms"),
            hint: "0 to 5 000, after a loss",
          },
          now.hysteresis_ms,
          (given) => set({ hysteresis_ms: numberOf(given) }),
          { step: 1 },
        )}
      </div>
      ${timeoutFields(app, open.timeouts, wrong)}
      <p class="refusal" role="alert">${fault?.whole ?? ""}</p>
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button class="button primary" type="submit" ?disabled=${open.isBusy}>
          ${open.isBusy ? "Saving…" : "Save"}
        </button>
      </div>
    </form>
  `;
}
