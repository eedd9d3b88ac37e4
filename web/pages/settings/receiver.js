// The section of the RC receiver: on or off, protocol, failsafe.

import { html } from "/vendor/lit-html/lit-html.js";
import { withField, withValue } from "../../lib/events.js";
import { mayOperate } from "../../lib/levels.js";
import { loadFailed, section, waiting } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("./state.js").SettingsState} SettingsState */
/** @typedef {Pick<import("./state.js").Replies, "rc" | "failsafe" | "protocol">} Known */
/** @typedef {import("../../lib/types.js").FailsafeInfo["action"]} Action */
/** @typedef {import("../../lib/types.js").SetProtocol["protocol"]} Protocol */
/**
 * @template {keyof import("../../lib/types.js").Actions["rc"]} Name
 * @typedef {import("../../lib/api.js").Params<"rc", Name>} Params
 */

const PROTOCOLS = { crsf: "CRSF", sbus: "SBUS", ibus: "IBUS", ppm: "PPM", pwm: "PWM" };
const ACTIONS = {
  hold: "Hold joints, stop the tracks",
  neutral: "Move to neutral",
  estop: "Emergency stop",
  passthrough: "Release control to other inputs",
};

/** @param {App} app @param {SettingsState} settings */
export function rcSection(app, settings) {
  const { rc, failsafe, protocol } = settings.data;
  const failure = settings.failures.rc ?? settings.failures.failsafe ?? settings.failures.protocol;
  const again = () => {
    for (const each of /** @type {const} */ (["rc", "failsafe", "protocol"]))
      settings.request(app, each);
  };
  const known = rc && failsafe && protocol ? { rc, failsafe, protocol } : null;
  const content = known
    ? rcForm(app, settings, known)
    : failure
      ? loadFailed(failure, again)
      : waiting;
  return section("rc", "RC receiver", "Changes take effect at once and persist.", content);
}

/** @param {App} app @param {SettingsState} settings @param {Known} known */
function rcForm(app, settings, { rc, failsafe, protocol }) {
  const isFixed = !mayOperate(app);
  /** @param {Params<"set_failsafe">} params @param {string} said */
  const setFailsafe = (params, said) =>
    settings.change(app, "failsafe", () => app.api.request("rc", "set_failsafe", params), said);
  const setProtocol = (/** @type {Params<"set_protocol">} */ params) =>
    settings.change(
      app,
      "protocol",
      () => app.api.request("rc", "set_protocol", params),
      "Protocol changed.",
    );
  const setEnabled = (/** @type {boolean} */ enabled) =>
    settings.change(
      app,
      "rc",
      () => app.api.request("rc", "set_enabled", { enabled }),
      `RC receiver turned ${enabled ? "on" : "off"}.`,
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
          field.checked = !enabled; // shows the robot's state until the change is applied
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
            setFailsafe({ action: /** @type {Action} */ (action) }, "Failsafe action changed."),
          )}
        >
          ${choices(ACTIONS, failsafe.action)}
        </select>
      </label>
      <label class="entry">
        <span>Signal time-out, ms</span>
        <input
          type="number"
          min="40"
          max="2000"
          data-rc-timeout
          ?disabled=${isFixed}
          .value=${String(failsafe.timeout_ms)}
          @change=${withField((field) =>
            timeout(field, (ms) =>
              setFailsafe({ timeout_ms: ms }, `Signal time-out changed to ${ms} ms.`),
            ),
          )}
        >
        <small class="hint">40 to 2000 ms; at 1.5 m/s the robot rolls 15 cm in 100 ms</small>
      </label>
    </div>
    <div class="toolbar">
      <a class="button" href="/inputs/rc">Open channels and calibration</a>
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
