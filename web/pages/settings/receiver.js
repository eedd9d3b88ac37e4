// The RC receiver: on or off, what a lost signal means.

import { html } from "/vendor/lit-html/lit-html.js";
import { withField, withValue } from "../../lib/events.js";
import { mayOperate } from "../../lib/levels.js";
import { notThere, section, waiting } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("./state.js").Answers} Answers */
/** @typedef {Pick<import("./state.js").Replies, "rc" | "failsafe" | "protocol">} Known */
/** @typedef {import("../../lib/types.js").FailsafeInfo["action"]} Action */
/** @typedef {import("../../lib/types.js").SetProtocol["protocol"]} Protocol */
/**
 * @template {keyof import("../../lib/types.js").Actions["rc"]} Name
 * @typedef {import("../../lib/api.js").Params<"rc", Name>} Params
 */

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
  const known = rc && failsafe && protocol ? { rc, failsafe, protocol } : null;
  const content = known
    ? rcForm(app, answers, known)
    : failure
      ? notThere(failure, again)
      : waiting;
  return section("rc", "RC receiver", "In force at once, and kept over restarts.", content);
}

/** @param {App} app @param {Answers} answers @param {Known} known */
function rcForm(app, answers, { rc, failsafe, protocol }) {
  const isFixed = !mayOperate(app);
  /** @param {Params<"set_failsafe">} wish @param {string} said */
  const setFailsafe = (wish, said) =>
    answers.change(app, "failsafe", () => app.api.request("rc", "set_failsafe", wish), said);
  const setProtocol = (/** @type {Params<"set_protocol">} */ wish) =>
    answers.change(
      app,
      "protocol",
      () => app.api.request("rc", "set_protocol", wish),
      "The protocol was changed.",
    );
  const setEnabled = (/** @type {boolean} */ enabled) =>
    answers.change(
      app,
      "rc",
      () => app.api.request("rc", "set_enabled", { enabled }),
      `The receiver is ${enabled ? "on" : "off"}.`,
    );
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
          setEnabled(enabled);
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
          @change=${withValue((protocol) =>
            setProtocol({ protocol: /** @type {Protocol} */ (protocol) }),
          )}
        >
          ${choices(PROTOCOLS, protocol.protocol)}
        </select>
      </label>
      <label class="entry">
        <span>When the signal is lost</span>
        <select
          data-rc-action
          ?disabled=${isFixed}
          @change=${withValue((action) =>
            setFailsafe(
              { action: /** @type {Action} */ (action) },
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
              setFailsafe({ timeout_ms: ms }, `A signal is lost after ${ms} ms now.`),
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
