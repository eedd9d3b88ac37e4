// The RC receiver: on or off, what a lost signal means.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField, withValue } from "../../lib/events.js";
import { mayOperate } from "../../lib/levels.js";
import { notThere, section, waiting } from "./section.js";

/** @typedef {import("../../app.js").App} App */
/** @typedef {import("./state.js").Answers} Answers */

const PROTOCOLS = { crsf: "CRSF", sbus: "SBUS", ibus: "IBUS", ppm: "PPM", pwm: "PWM" };
const ACTIONS = {
  hold: "Hold: joints stay, the tracks stop",
  neutral: "Neutral: everything goes to its middle",
  estop: "Emergency stop",
  passthrough: "Others may take over",
};

/** @param {App} app @param {Answers} answers */
export function rcSection(app, answers) {
  const { rc, failsafe, protocol } = answers.data;
  const failure = answers.failures.rc ?? answers.failures.failsafe ?? answers.failures.protocol;
  const again = () => {
    for (const each of /** @type {const} */ (["rc", "failsafe", "protocol"]))
      answers.ask(app, each);
  };
  const isKnown = rc && failsafe && protocol;
  const content = isKnown ? rcForm(app, answers) : failure ? notThere(failure, again) : waiting;
  return section("rc", "RC receiver", "In force at once, and kept over restarts.", content);
}

/** @param {App} app @param {Answers} answers */
function rcForm(app, answers) {
  const { rc, failsafe, protocol } = answers.data;
  const isFixed = !mayOperate(app);
  const { api } = app;
  const set = (
    /** @type {"rc"} */ topic,
    /** @type {string} */ action,
    /** @type {object} */ params,
    /** @type {string} */ said,
  ) => answers.change(app, topic, () => api.request("rc", action, params), said);
  return html`
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        data-rc-enabled
        .checked=${rc.enabled}
        ?disabled=${isFixed}
        @change=${withField((field) => {
          const enabled = field.checked;
          field.checked = !enabled; // as the robot says, until it says otherwise
          set("rc", "set_enabled", { enabled }, `The receiver is ${enabled ? "on" : "off"}.`);
        })}
      >
      Enabled
    </label>
    <div class="form pair-form">
      <label class="entry">
        <span>Protocol</span>
        <select
          data-rc-protocol
          ?disabled=${isFixed}
          @change=${withValue((value) =>
            set(
              /** @type {any} */ ("protocol"),
              "set_protocol",
              { protocol: value },
              "The protocol was changed.",
            ),
          )}
        >
          ${choices(PROTOCOLS, protocol.protocol)}
        </select>
        ${protocol.device ? html`<small class="hint">on ${protocol.device}</small>` : nothing}
      </label>
      <label class="entry">
        <span>When the signal is lost</span>
        <select
          data-rc-action
          ?disabled=${isFixed}
          @change=${withValue((value) =>
            set(
              /** @type {any} */ ("failsafe"),
              "set_failsafe",
              { action: value },
              "What a lost signal means was changed.",
            ),
          )}
        >
          ${choices(ACTIONS, failsafe.action)}
        </select>
      </label>
      <label class="entry">
        <span>Signal time-out (ms)</span>
        <input
          type="number"
          min="40"
          max="2000"
          data-rc-timeout
          ?disabled=${isFixed}
          .value=${String(failsafe.timeout_ms)}
          @change=${withField((field) =>
            timeout(field, (ms) =>
              set(
                /** @type {any} */ ("failsafe"),
                "set_failsafe",
                { timeout_ms: ms },
                `A signal is lost after ${ms} ms now.`,
              ),
            ),
          )}
        >
        <small class="hint">40 to 2000; at 1.5 m/s the robot rolls 15 cm in 100 ms</small>
      </label>
    </div>
    <div class="toolbar">
      <a class="button" href="#/inputs/rc">Channels, calibration, drill</a>
    </div>
  `;
}

/** @param {HTMLInputElement} input @param {(ms: number) => void} use */
function timeout(input, use) {
  if (input.reportValidity() && input.value) use(Number(input.value));
}

/** @param {Record<string, string>} all @param {string} current */
const choices = (all, current) =>
  Object.entries(all).map(
    ([key, text]) => html`<option value=${key} ?selected=${key === current}>${text}</option>`,
  );
