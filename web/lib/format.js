// Formats values, names and times for display.

const MINUS = "\u2212";

/** @param {number | null | undefined} value @param {number} digits */
export function fixed(value, digits) {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** What the modes of a walking robot's controller are called (LegsCommand.msg). */
export const MODES = ["damp", "stand", "balance", "move"];

/** @param {number | null | undefined} value @param {string} unit */
export function quantity(value, unit) {
  if (value === null || value === undefined) return "–";
  if (unit === "deg") return `${fixed(value, 1)}°`;
  if (unit === "ratio") return `${fixed(value * 100, 0)} %`;
  if (unit === "mode") return MODES[Math.round(value)] ?? fixed(value, 0);
  return `${fixed(value, 2)} ${unit}`;
}

/** Cache of words(), which is called at each drawing. @type {Map<string, string>} */
const cache = new Map();
// more names than a robot has, so that a program that invents names does not fill the memory
const LARGEST_CACHE = 2000;

/** Turn "headYaw", "eye_pan" or "channel_3" into words. @param {string} name */
export function words(name) {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (cache.size >= LARGEST_CACHE) cache.clear();
  const text = split(name);
  cache.set(name, text);
  return text;
}

/** Name an input as its sender does: "CH 3", "headYaw". @param {string} name */
export const inputName = (name) => name.replace(/^channel_(\d+)$/, "CH $1");

/** @param {string} name */
function split(name) {
  if (inputName(name) !== name) return inputName(name);
  const spaced = name
    .replaceAll("_", " ")
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/\b(rc|ue|imu)\b/g, (short) => short.toUpperCase());
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** @param {string} role @param {string} instance */
export function roleName(role, instance) {
  if (role === "arms") return instance ? `${words(instance)} arm` : "Arm";
  if (role === "parts" && instance) return words(instance);
  return words(role) + (instance ? ` ${instance}` : "");
}

/** @param {string} target "arms.left" */
export function targetName(target) {
  const [role, instance = ""] = target.split(".");
  return roleName(role, instance);
}

/** Turn "livelink:FaceCapture" into "LiveLink FaceCapture". @param {string} source */
export function sourceName(source) {
  const [kind, ...rest] = source.split(":");
  const subject = rest.join(":");
  const kinds = { rc: "RC", livelink: "LiveLink", websocket: "Client", autonomous: "Program" };
  const label = kinds[/** @type {keyof typeof kinds} */ (kind)] ?? words(kind);
  return subject ? `${label} ${subject}` : label;
}

/** @param {number} seconds */
export function duration(seconds) {
  const s = Math.max(0, Math.floor(seconds));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

const two = (/** @type {number} */ part) => String(part).padStart(2, "0");

/**
 * Format a time as "09:05:00" in the browser's time zone, in the same form for every language.
 * @param {number} seconds since 1970
 */
export function clock(seconds) {
  const at = new Date(seconds * 1000);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(":");
}

/** "2026-11-22" @param {number} seconds since 1970 */
export function day(seconds) {
  const at = new Date(seconds * 1000);
  return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map(two).join("-");
}

/** @param {number} seconds since 1970 */
export const dayAndClock = (seconds) => `${day(seconds)} ${clock(seconds)}`;

/** Format the time alone if it is today, else day and time. @param {number} seconds since 1970 */
export const lately = (seconds) =>
  day(seconds) === day(Date.now() / 1000) ? clock(seconds) : dayAndClock(seconds);

/** @param {number | null | undefined} ms */
export function age(ms) {
  if (ms === null || ms === undefined || ms < 1000) return `${fixed(ms, 0)} ms`;
  return ms < 60_000 ? `${fixed(ms / 1000, 1)} s` : duration(ms / 1000);
}
