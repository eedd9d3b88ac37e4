// The calibration dialog of the RC transmitter: rest, ends, directions, review. The robot measures;
// this dialog shows the range of each channel. During the calibration the sticks move nothing.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../../lib/api.js";
import { dialog } from "../../../parts/dialog.js";
import { polls } from "../polls.js";
import { settingsOf } from "./receiver.js";
import { coverage } from "./scale.js";

/** @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").CalibrationInfo} CalibrationInfo */
/** @typedef {import("../../../lib/types.js").RcChannelConfig} RcChannelConfig */
/** @typedef {import("../../../lib/types.js").SeenRange} SeenRange */
/** @typedef {NonNullable<import("../../../context.js").Dialogs["calibration"]>} OpenCalibration */
/** @typedef {import("../../../lib/types.js").CalibrationStep["step"]} Verb */

const STEPS = /** @type {const} */ ([
  ["center", "Rest"],
  ["ends", "Move all"],
  ["directions", "Directions"],
  ["done", "Review"],
]);
const MOVED_US = 200; // smallest motion of a stick, as in rcd
const KINDS = {
  reversed: "Reversed",
  unplugged: "Not moved",
  swapped: "Swapped",
  narrow: "Narrow",
};

/** @param {App} app */
export function openCalibration(app) {
  app.dialogs.calibration = { isBusy: false, refusal: "", hasStarted: false };
  addEventListener("pagehide", () => closeCalibration(app), { once: true });
  app.draw();
}

/** Close the dialog and cancel an unsaved calibration. @param {App} app */
export function closeCalibration(app) {
  const open = app.dialogs.calibration;
  polls.calibration.stop();
  app.dialogs.calibration = null;
  if (open?.hasStarted) app.api.request("rc", "calibration", { step: "cancel" }).catch(() => {});
}

/** @param {App} app */
export function wizard(app) {
  const open = app.dialogs.calibration;
  const close = () => (closeCalibration(app), app.draw());
  // Escape and a click outside do not discard a calibration in progress
  const closeUnlessStarted = () => open?.hasStarted || close();
  return dialog(
    open,
    closeUnlessStarted,
    (open) => content(app, open, close),
    "Calibrate the transmitter",
  );
}

/** @param {App} app @param {OpenCalibration} open @param {() => void} close */
function content(app, open, close) {
  const { data, problem } = polls.calibration;
  const step = open.hasStarted && data ? data.step : "intro";
  return html`
    <div class="wizard" data-step=${step}>
      <h2>Calibrate the transmitter</h2>
      <ol class="steps">
        ${STEPS.map(
          ([key, title], index) => html`<li aria-current=${key === step ? "step" : nothing}
            class=${index < STEPS.findIndex(([each]) => each === step) ? "is-done" : ""}
          >${title}</li>`,
        )}
      </ol>
      ${step === "intro" ? intro : step === "idle" || !data ? ended : running(step, data)}
      <p class="refusal" role="alert">${open.refusal || problem?.message || nothing}</p>
      ${actions(app, open, step, close)}
    </div>
  `;
}

const intro = html`
  <p>
    Move every stick and switch: the robot measures middle and ends, and finds channels that are
    reversed, not connected or swapped. This takes about 1 minute.
  </p>
  <p>
    <strong>During the calibration the transmitter drives nothing</strong>; other inputs may.
    Nothing changes until you save.
  </p>
`;

const ended = html`
  <p role="status">
    The robot has ended this calibration after 10 minutes without input, or another user has ended
    it. Nothing has changed.
  </p>
`;

/** @param {string} step @param {CalibrationInfo} data */
function running(step, data) {
  return html`
    <p class="instruction" role="status">${data.text}</p>
    ${step === "done" ? review(data) : nothing} ${step === "done" ? nothing : ranges(step, data)}
  `;
}

/** @param {string} step @param {CalibrationInfo} data */
function ranges(step, data) {
  const moved = data.seen.filter(isMoved).length;
  return html`
    ${
      step === "ends"
        ? html`
          <p class="quiet" data-moved=${moved}>
            ${moved} of ${data.seen.length} channels moved
          </p>
        `
        : nothing
    }
    <ul class="ranges">
      ${data.seen.map(
        (seen) => html`
          <li
            class="${seen.channel === data.channel ? "is-asked" : ""}
              ${isMoved(seen) ? "is-moved" : ""}"
            data-seen=${seen.channel}
          >
            <span class="channel-name">
              <b>${nameOf(seen.channel)}</b><small>CH ${seen.channel}</small>
            </span>
            ${coverage(seen)}
            <span class="number">
              ${seen.low === null ? html`${seen.us}` : html`${seen.low}–${seen.high}`}
              <small>µs</small>
            </span>
            <span class="state">${step === "ends" ? motion(seen) : nothing}</span>
          </li>
        `,
      )}
    </ul>
  `;
}

/** @param {SeenRange} seen */
const motion = (seen) => (isMoved(seen) ? "moved" : "not yet");

/** @param {SeenRange} seen */
const isMoved = ({ low, high }) => low !== null && high !== null && high - low >= MOVED_US;

/** @param {number} number */
const nameOf = (number) => settingsOf(number).name || `CH ${number}`;

/** @param {CalibrationInfo} data */
const review = ({ findings, proposal }) => html`
  ${
    findings.length
      ? html`<ul class="findings">
        ${findings.map(
          (each) => html`<li data-finding=${each.kind}>
            <b class="tag">${KINDS[each.kind]}</b> ${each.text}
          </li>`,
        )}
      </ul>`
      : html`
        <p>
          <span class="chip good"><i class="dot"></i>No problems found</span>
        </p>
      `
  }
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Channel</th>
          <th class="right">Low</th>
          <th class="right">Middle</th>
          <th class="right">High</th>
          <th>Reversed</th>
        </tr>
      </thead>
      <tbody>
        ${proposal.map((each) => proposed(each, settingsOf(each.channel)))}
      </tbody>
    </table>
  </div>
  <p class="quiet">Changes are bold; channels that did not move keep their values.</p>
`;

/** @param {RcChannelConfig} now @param {RcChannelConfig} before */
const proposed = (now, before) => html`
  <tr data-proposed=${now.channel}>
    <td>${now.channel} <span class="quiet">${now.name}</span></td>
    ${
      /** @type {const} */ (["min", "center", "max"]).map(
        (key) =>
          html`
          <td class="right">${now[key] === before[key] ? now[key] : html`<b>${now[key]}</b>`}</td>
        `,
      )
    }
    <td>
      ${now.reversed === before.reversed ? word(now.reversed) : html`<b>${word(now.reversed)}</b>`}
    </td>
  </tr>
`;

/** @param {boolean} is */
const word = (is) => (is ? "yes" : "no");

/** @param {App} app @param {OpenCalibration} open @param {string} step @param {() => void} close */
function actions(app, open, step, close) {
  if (step === "idle") {
    return html`
      <div class="actions"><button class="button" type="button" @click=${close}>Close</button></div>
    `;
  }
  /** @type {Record<string, [Verb, string]>} */
  const known = {
    intro: ["start", "Start"],
    center: ["next", "Continue"],
    ends: ["next", "Continue"],
    directions: ["skip", "Skip this channel"],
    done: ["save", "Save"],
  };
  const [verb, name] = known[step] ?? ["next", "Continue"];
  return html`
    <div class="actions">
      <button class="button" type="button" data-cancel @click=${close}>
        ${step === "done" ? "Discard" : "Cancel"}
      </button>
      <button
        class="button ${step === "directions" ? "" : "primary"}"
        type="button"
        data-focus
        data-go=${verb}
        ?disabled=${open.isBusy} @click=${() => go(app, open, verb)}>${name}</button>
    </div>
  `;
}

/** @param {App} app @param {OpenCalibration} open @param {Verb} verb */
async function go(app, open, verb) {
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    polls.calibration.data = await app.api.request("rc", "calibration", { step: verb });
    if (verb === "start") {
      open.hasStarted = true;
      polls.calibration.start(app);
    }
    if (verb === "save") {
      open.hasStarted = false;
      app.toasts.done("Calibration saved.");
      closeCalibration(app);
      polls.channels.refresh(app);
    }
  } catch (err) {
    const { message, fix } = problemOf(err);
    open.refusal = [message, fix].filter(Boolean).join(". ");
  }
  open.isBusy = false;
  app.draw();
}
