// What the form of a part holds: typed values by setting, and what a save would change. Pure.

/** @typedef {import("../../lib/types.js").PartSetting} PartSetting */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {boolean | number | string | (number | string)[] | null} Value */
/** @typedef {"output" | "hardware"} Side */
/** @typedef {Record<string, unknown>} Entry */

export const isPair = (/** @type {PartSetting} */ { name, usual }) =>
  name === "limits" || (Array.isArray(usual) && usual.length === 2);

const isAddress = (/** @type {PartSetting} */ { name }) => name === "address";

/** Return a setting as it stands in its field. @param {PartSetting} setting @param {Entry} entry */
export function shown(setting, entry) {
  const value = entry[setting.name] ?? setting.usual;
  if (value === null || value === undefined) return "";
  if (isAddress(setting)) return `0x${Number(value).toString(16).padStart(2, "0")}`;
  return Array.isArray(value) ? value.join(", ") : String(value);
}

/**
 * Read a field. An empty one removes the setting.
 * @param {PartSetting} setting @param {string} text @returns {Value}
 */
export function read(setting, text) {
  const typed = text.trim().replaceAll("\u2212", "-");
  if (typed === "") return null;
  if (setting.form === "switch") return typed === "true";
  if (setting.form === "list")
    return typed
      .split(/[,\s]+/)
      .filter(Boolean)
      .map(numberOrText);
  const isNumber = setting.form !== "text" && (setting.form !== "choice" || isNumeric(setting));
  return isNumber ? numberOrText(typed) : typed;
}

const isNumeric = (/** @type {PartSetting} */ { choices }) =>
  choices.every((each) => !Number.isNaN(Number(each)));

/** @param {string} text */
const numberOrText = (text) => (Number.isNaN(Number(text)) ? text : Number(text));

export class Draft {
  /** Typed texts, by side and setting. @type {Record<Side, Map<string, string>>} */
  typed = { output: new Map(), hardware: new Map() };
  rename = "";

  /** @param {Record<Side, Entry>} before @param {Record<Side, PartSetting[]>} settings */
  constructor(before, settings) {
    this.before = before;
    this.settings = settings;
  }

  /** @param {Side} side @param {PartSetting} setting */
  text(side, setting) {
    return this.typed[side].get(setting.name) ?? shown(setting, this.before[side]);
  }

  /** @param {Side} side @param {string} name @param {string} text */
  type(side, name, text) {
    this.typed[side].set(name, text);
  }

  /** @param {Side} side @param {string} name @returns {Value} */
  value(side, name) {
    const setting = this.settings[side].find((each) => each.name === name);
    return setting ? read(setting, this.text(side, setting)) : null;
  }

  /** Return the settings that differ from what is in force. @param {Side} side */
  changes(side) {
    /** @type {Record<string, Value>} */ const found = {};
    for (const setting of this.settings[side]) {
      const text = this.typed[side].get(setting.name);
      if (text === undefined || text === shown(setting, this.before[side])) continue;
      found[setting.name] = read(setting, text);
    }
    return found;
  }

  get isChanged() {
    return [this.changes("output"), this.changes("hardware")].some(
      (each) => Object.keys(each).length,
    );
  }
}

/**
 * Return the setting that a refusal is about: the pin or channel that it names, or the setting
 * itself; empty: none.
 * @param {string} refusal @param {Draft} draft
 */
export function faultOf(refusal, draft) {
  if (!refusal) return "";
  const hardware = draft.settings.hardware;
  const pin = /GPIO(\d+)/.exec(refusal)?.[1];
  const atPin =
    pin &&
    hardware.find((each) =>
      draft
        .text("hardware", each)
        .split(/[,\s]+/)
        .includes(pin),
    );
  if (atPin) return atPin.name;
  if (/channel \d+ of/.test(refusal)) return "channel";
  const all = [...hardware, ...draft.settings.output].map(({ name }) => name);
  const named = all.filter((name) => new RegExp(`\\b${name}\\b`).test(refusal));
  return (
    named.sort((a, b) => b.length - a.length)[0] ?? (/chip at 0x/.test(refusal) ? "address" : "")
  );
}
