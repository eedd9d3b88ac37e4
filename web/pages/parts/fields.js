// Fields of a part's settings, with their ranges; pins and channels say what holds them.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withChecked, withValue } from "../../lib/events.js";
import { words } from "../../lib/format.js";
import { abilities, atChannel, atPin, neighbours } from "../../lib/robot/parts.js";
import { isPair } from "./draft.js";
import { state } from "./state.js";

/** @typedef {import("../../lib/types.js").PartSetting} PartSetting */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {import("./draft.js").Side} Side */

/**
 * @typedef {object} Form
 * @property {string} target
 * @property {string} name of the part; empty: a new one
 * @property {string} kind
 * @property {string} unit of its output
 * @property {Draft} draft
 * @property {boolean} isLocked
 * @property {string} refusal
 * @property {string} fault setting that the refusal is about
 * @property {() => void} changed
 */

/** @type {Record<string, string>} */
const TITLES = {
  limits: "Lower and upper limit",
  max_rate: "Top speed",
  max_acceleration: "Acceleration",
  on_loss: "When the input is lost",
  neutral: "Centre",
  park: "Park position",
  kind: "Moves by",
  pulse_us: "Pulse at lower and upper limit",
  centre_us: "Pulse at the centre",
  frequency: "Frequency",
  reversed: "Reversed",
  pin_b: "Pin B",
  required: "The role needs it to start",
  alsa_device: "ALSA device",
  current_device: "Current meter",
  torque_nm_per_a: "Torque per ampere",
  idle_current_a: "Current without load",
  sleep_after_s: "No pulses after a rest of",
  longest_on_s: "Longest time on",
  most_duty: "Largest share of time on",
  duty_window_s: "Time of that share",
  full_duty: "Duty at the limit",
  max_temperature_c: "Highest temperature",
  hottest_fet_c: "Hottest output stage",
  hottest_motor_c: "Hottest motor",
  least_v: "Lowest supply voltage",
  max_current_a: "Highest current",
  brake_current_a: "Braking current at rest",
  shunt_ohm: "Shunt",
  rate_hz: "Readings",
  speed_hz: "Clock",
  accel_range_g: "Acceleration range",
  gyro_range_dps: "Rotation range",
  light_pin: "Backlight pin",
  gear: "Gear ratio",
  switch_at: "Position of the switch",
  homing_rate: "Speed to the switch",
};
/** @type {Record<string, string>} */
const CHOICES = {
  hold: "Hold the position",
  neutral: "Return to the centre",
  park: "Go to the park position",
  ramp_to_zero: "Ramp to zero",
};

/** @param {Form} form @param {Side} side */
export const fieldsOf = (form, side) =>
  form.draft.settings[side].map((setting) => field(form, side, setting));

/** @param {Form} form @param {Side} side @param {PartSetting} setting */
function field(form, side, setting) {
  const { draft } = form;
  const text = draft.text(side, setting);
  const isWrong = form.fault === setting.name;
  const type = (/** @type {string} */ value) => {
    draft.type(side, setting.name, value);
    form.changed();
  };
  const title = TITLES[setting.name] ?? words(setting.name);
  if (setting.form === "switch")
    return html`<label class="switch" data-setting=${setting.name}>
      <input
        type="checkbox"
        role="switch"
        name=${setting.name}
        .checked=${text === "true"}
        ?disabled=${form.isLocked}
        @change=${withChecked((isOn) => type(String(isOn)))}
      >${title}
    </label>`;
  const unit = unitOf(setting, side, form.unit);
  if (isPair(setting)) return pair(form, side, setting, title, unit, isWrong);
  return html`
    <label class="entry ${isWrong ? "is-wrong" : ""}" data-setting=${setting.name}>
      <span>${title}${unit ? html` <small class="quiet">${unit}</small>` : nothing}</span>
      ${control(form, setting, text, type)}
      ${isWrong ? wrong(form.refusal) : hint(setting)}
    </label>
  `;
}

/** @param {string} text */
const wrong = (text) => html`<span class="wrong" role="alert" data-refusal>${text}</span>`;

/** @param {PartSetting} setting */
function hint(setting) {
  const { name, form } = setting;
  if (form === "choice" || isPlace(name) || name === "address") return nothing;
  const text = range(setting);
  return text ? html`<span class="hint">${text}</span>` : nothing;
}

/** @param {PartSetting} setting */
function range({ least, most, is_above: isAbove, is_below: isBelow }) {
  if (least !== null && most !== null && !isAbove && !isBelow) return `${least} to ${most}`;
  const low = least === null ? "" : isAbove ? `above ${least}` : `${least} or more`;
  const high = most === null ? "" : isBelow ? `below ${most}` : `at most ${most}`;
  return [low, high].filter(Boolean).join(", ");
}

/** @param {string} name */
const isPlace = (name) => name === "channel" || isPin(name);
/** @param {string} name */
const isPin = (name) => name === "pin_b" || name === "pin" || name.endsWith("_pin");

/** @param {PartSetting} setting @param {Side} side @param {string} unit */
function unitOf(setting, side, unit) {
  if (setting.unit || side === "hardware") return setting.unit;
  if (setting.name === "max_rate") return `${unit}/s`;
  if (setting.name === "max_acceleration") return `${unit}/s²`;
  return ["limits", "neutral", "park"].includes(setting.name) ? unit : "";
}

/**
 * @param {Form} form @param {Side} side @param {PartSetting} setting
 * @param {string} title @param {string} unit @param {boolean} isWrong
 */
function pair(form, side, setting, title, unit, isWrong) {
  // Each box reads both: the other one may have changed since the page was drawn.
  const both = () => form.draft.text(side, setting).split(/,\s*/);
  const [low = "", high = ""] = both();
  const type = (/** @type {string} */ a, /** @type {string} */ b) => {
    form.draft.type(side, setting.name, a || b ? `${a}, ${b}` : "");
    form.changed();
  };
  /** @param {string} label @param {string} value @param {(text: string) => void} then */
  const input = (label, value, then) => html`<input
    inputmode="text"
    name=${`${setting.name}-${label}`}
    aria-label=${`${title}: ${label}`}
    ?disabled=${form.isLocked}
    .value=${value}
    @input=${withValue(then)}
  >`;
  return html`
    <div class="entry ${isWrong ? "is-wrong" : ""}" data-setting=${setting.name}>
      <span>${title}${unit ? html` <small class="quiet">${unit}</small>` : nothing}</span>
      <div class="part-pair">
        ${input("lower", low, (value) => type(value, both()[1] ?? ""))}
        ${input("upper", high, (value) => type(both()[0] ?? "", value))}
      </div>
      ${isWrong ? wrong(form.refusal) : nothing}
    </div>
  `;
}

/**
 * @param {Form} form @param {PartSetting} setting @param {string} text
 * @param {(value: string) => void} type
 */
function control(form, setting, text, type) {
  const options = optionsOf(form, setting);
  if (!options)
    return html`<input
      name=${setting.name}
      inputmode=${setting.form === "number" || setting.form === "whole" ? "decimal" : "text"}
      autocomplete="off"
      spellcheck="false"
      ?disabled=${form.isLocked}
      .value=${text}
      @input=${withValue(type)}
    >`;
  const known = options.some(([value]) => value === text);
  const all = known
    ? options
    : [/** @type {[string, string]} */ ([text, text || "None"]), ...options];
  return html`<select name=${setting.name} ?disabled=${form.isLocked} @change=${withValue(type)}>
    ${all.map(
      ([value, title]) =>
        html`<option value=${value} ?selected=${value === text}>${title}</option>`,
    )}
  </select>`;
}

/** @param {Form} form @param {PartSetting} setting @returns {[string, string][] | null} */
function optionsOf(form, { name, form: kind, choices }) {
  if (kind === "choice")
    return choices.map((each) => [each, CHOICES[each] ?? (words(each) || "None")]);
  if (isPin(name)) return pinOptions(form);
  if (name === "device") return deviceOptions(form, form.kind);
  if (name === "current_device") return [["", "None"], ...deviceOptions(form, "meter")];
  if (name === "channel") return channelOptions(form);
  return null;
}

/** @param {Form} form @returns {[string, string][]} */
function pinOptions({ target, name }) {
  const near = neighbours(state.parts ?? [], target);
  const pins = (state.catalog?.header ?? []).filter(({ bcm }) => bcm !== null && bcm > 1);
  pins.sort((a, b) => (a.bcm ?? 0) - (b.bcm ?? 0));
  return pins.map((pin) => {
    const holders = atPin(near, pin.bcm ?? -1).filter(
      (part) => part.target !== target || part.name !== name,
    );
    const can = abilities(pin).slice(1).join(", ");
    const held = holders.map((part) => words(part.name).toLowerCase()).join(", ");
    const text = [pin.name, held ? `used by ${held}` : "", `pin ${pin.number}`, can];
    return [String(pin.bcm), text.filter(Boolean).join(" · ")];
  });
}

/** What a kind is connected to, where that is no PCA9685. @type {Record<string, string>} */
const DRIVERS = {
  roboclaw: "roboclaw",
  roboclaw_encoder: "roboclaw",
  vesc: "vesc",
  vesc_encoder: "vesc",
  pixels: "ws2812",
  meter: "ina219",
  bus_servo: "feetech",
};

/** @param {string} kind */
export const driverOf = (kind) => DRIVERS[kind] ?? "pca9685";

/** Return the chips that a kind is connected to. @param {Form} form @param {string} kind
 * @returns {[string, string][]}
 */
function deviceOptions({ target }, kind) {
  return devicesOf(target, driverOf(kind)).map((part) => [
    part.name,
    `${part.name} · ${part.place}`,
  ]);
}

/** @param {string} target @param {string} driver */
export const devicesOf = (target, driver) =>
  (state.parts ?? []).filter(
    (part) => part.target === target && asGood(driver).includes(String(part.hardware.driver)),
  );

/** Drivers that serve the same kind. @param {string} driver */
export const asGood = (driver) => (driver === "feetech" ? [driver, "dynamixel"] : [driver]);

/** @param {Form} form @returns {[string, string][]} */
function channelOptions({ target, name, kind, draft }) {
  const device = String(draft.value("hardware", "device") ?? "");
  const all = kind.startsWith("roboclaw") ? [1, 2] : Array.from({ length: 16 }, (_, at) => at);
  return all.map((channel) => {
    const holder = atChannel(state.parts ?? [], target, device, channel);
    const held = holder && holder.name !== name ? ` · used by ${holder.name}` : "";
    return [String(channel), `${channel}${held}`];
  });
}
