// The protocol form: choose the receiver's protocol, or detect it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
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
  crsf: "CRSF (ExpressLRS, Crossfire)",
  sbus: "SBUS (FrSky, Futaba)",
  ibus: "IBUS (FlySky)",
  ppm: "PPM (one pin)",
  pwm: "PWM (one pin per channel)",
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
    state.refusal = "";
    try {
      await app.api.request("rc", "set_protocol", {
        protocol: /** @type {Protocol} */ (select.value),
      });
      app.toasts.done(`Protocol set to ${select.value.toUpperCase()}.`);
    } catch (err) {
      state.refusal = sentenceOf(err);
      select.value = status.protocol;
    }
    polls.status.refresh(app);
    app.draw();
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
