// The protocol form: choose the receiver's protocol, or detect it.

import { html, noChange, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf, sentenceOf } from "../../../lib/api.js";
import { withField } from "../../../lib/events.js";
import { mayOperate } from "../../../lib/levels.js";
import { askConfirmation } from "../../../parts/confirm.js";
import { polls } from "../polls.js";

/** @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/api.js").ApiError} ApiError */
/** @typedef {import("../../../lib/types.js").DetectReport} DetectReport */
/** @typedef {import("../../../lib/types.js").RcStatus} RcStatus */

/** @typedef {import("../../../lib/types.js").SetProtocol["protocol"]} Protocol */

/** @type {Record<Protocol, string>} */
const PROTOCOLS = {
  sbus: "SBUS (FrSky, Futaba)",
  crsf: "CRSF (ExpressLRS, Crossfire)",
  ibus: "IBUS (FlySky)",
  dsm: "DSMX (Spektrum satellite)",
  ghst: "GHST (ImmersionRC Ghost)",
  mavlink: "MAVLink (RC override)",
  ppm: "PPM (one pin)",
  pwm: "PWM (one pin per channel)",
};

/** What a user must know before the wire is joined. @type {Partial<Record<string, string>>} */
const NOTES = {
  sbus: "The line is inverted: it needs an inverter, or a USB adapter that inverts.",
  ibus: "It has no failsafe flag: let the receiver stop sending, not hold its last values.",
  dsm: "CH 1 is throttle, CH 2 aileron, CH 3 elevator, CH 4 rudder.",
  mavlink: "Serial line only. Detect finds the baud rate; ExpressLRS has 460800.",
};

const state = {
  isListening: false,
  report: /** @type {DetectReport | null} */ (null),
  problem: /** @type {ApiError | null} */ (null),
  refusal: "",
};

/** @param {App} app @param {RcStatus} status */
export function protocolForm(app, status) {
  const mayChange = mayOperate(app) && !state.isListening;
  const choose = withField(async (select) => {
    const isSet = await set(app, { protocol: /** @type {Protocol} */ (select.value) });
    if (!isSet) select.value = status.protocol;
  });
  return html`
    <article class="card form setup-card">
      <h2>Protocol</h2>
      <label class="entry">
        <span class="hidden">Protocol</span>
        <select name="protocol" ?disabled=${!mayChange} @change=${choose}>
          ${Object.entries(PROTOCOLS).map(
            ([key, title]) =>
              html`<option value=${key} ?selected=${key === status.protocol}>${title}</option>`,
          )}
        </select>
      </label>
      ${NOTES[status.protocol] ? html`<p class="quiet">${NOTES[status.protocol]}</p>` : nothing}
      ${status.pins?.length ? pinsEntry(app, status, status.pins, mayChange) : nothing}
      ${state.refusal ? html`<p class="wrong" role="alert">${state.refusal}</p>` : nothing}
      <div class="toolbar">
        <button class="button small" type="button" data-detect ?disabled=${!mayChange}
          @click=${() => confirmDetect(app)}
        >
          ${state.isListening ? "Detecting…" : "Detect…"}
        </button>
        <span class="quiet">Listens on ${status.device}</span>
      </div>
      <div role="status">
        ${state.isListening ? listening : state.report ? found(app, status, state.report) : nothing}
      </div>
      ${
        state.problem
          ? html`<p class="wrong" role="alert">${state.problem.message} ${state.problem.fix}</p>`
          : nothing
      }
    </article>
  `;
}

/**
 * Send the protocol, and report the result; return true if it is set.
 * @param {App} app
 * @param {import("../../../lib/types.js").SetProtocol} params
 */
async function set(app, params) {
  state.refusal = "";
  let isSet = true;
  try {
    const { device } = await app.api.request("rc", "set_protocol", params);
    app.toasts.done(`Protocol set to ${params.protocol.toUpperCase()} on ${device}.`);
  } catch (err) {
    state.refusal = sentenceOf(err);
    isSet = false;
  }
  polls.status.refresh(app);
  app.draw();
  return isSet;
}

/**
 * The pins of a PPM or PWM receiver, CH 1 first.
 * @param {App} app @param {RcStatus} status @param {number[]} pins @param {boolean} mayChange
 */
function pinsEntry(app, status, pins, mayChange) {
  const given = pins.join(", ");
  // What is being typed stays when the status of an earlier change arrives.
  const isTyped = document.activeElement?.matches("input[name=pins]");
  const change = withField(async (field) => {
    const typed = field.value.split(/[\s,]+/).filter(Boolean);
    if (!typed.length || typed.some((each) => !/^\d+$/.test(each))) {
      state.refusal = "Pins are GPIO numbers, such as 16, 19.";
      app.draw();
      return;
    }
    const protocol = /** @type {Protocol} */ (status.protocol);
    if (!(await set(app, { protocol, pins: typed.map(Number) }))) field.value = given;
  });
  return html`
    <label class="entry">
      <span>${status.protocol === "ppm" ? "GPIO" : "GPIO of CH 1, CH 2, …"}</span>
      <input name="pins" inputmode="numeric" autocomplete="off" .value=${isTyped ? noChange : given}
        ?disabled=${!mayChange} @change=${change}>
    </label>
  `;
}

const listening = html`
  <p class="quiet">Trying all protocols; leave the transmitter on.</p>
`;

/** @param {App} app */
function confirmDetect(app) {
  askConfirmation(app, {
    title: "Detect the protocol?",
    text:
      "Detection takes some seconds. Meanwhile RC releases control: the transmitter drives " +
      "nothing, and other inputs may take over.",
    verb: "Detect the protocol",
    work: async () => void detect(app),
  });
}

/** @param {App} app */
async function detect(app) {
  Object.assign(state, { isListening: true, report: null, problem: null });
  app.draw();
  try {
    state.report = await app.api.request("rc", "detect_protocol", { seconds: 1 });
  } catch (err) {
    state.problem = problemOf(err);
  }
  state.isListening = false;
  app.draw();
}

/** @param {App} app @param {RcStatus} status @param {DetectReport} report */
function found(app, status, { protocol, baud_rate, text, seen }) {
  async function use() {
    if (!protocol) return;
    try {
      await app.api.request("rc", "set_protocol", { protocol, baud_rate });
      state.report = null;
      app.toasts.done(`Protocol set to ${protocol.toUpperCase()}.`);
    } catch (err) {
      app.toasts.failed(err);
    }
    polls.status.refresh(app);
  }
  return html`
    <p data-detected=${protocol ?? ""}><strong>${text}</strong></p>
    <details>
      <summary>Results by protocol</summary>
      <ul class="seen">
        ${seen.map(
          (each) => html`<li>
            ${each.protocol.toUpperCase()}, ${each.baud_rate} baud: ${each.frames} frames,
            ${each.rejected} rejected, ${each.discarded_bytes} of ${each.bytes} bytes are noise
          </li>`,
        )}
      </ul>
    </details>
    ${
      protocol && protocol !== status.protocol
        ? html`<button
          class="button small primary"
          type="button"
          ?disabled=${!mayOperate(app)}
          @click=${use}
        >
          Use ${protocol.toUpperCase()}
        </button>`
        : nothing
    }
  `;
}
