// The base of the robot, tracks or a wagon, as pages see it: its target and its measured motion.
// Pure.

/** @typedef {import("../../context.js").With<"now" | "robot" | "store">} App */

/** The target that drives the robot over the ground; empty: none, or not known. @param {App} app */
export const baseTarget = (app) => app.robot?.base ?? "";

/** Whether the base reports its motion now. @param {App} app */
export const isBaseFresh = (app) => app.store.isFresh(baseTarget(app), app.now);

const WAGON_WIDTH_M = 0.45; // between its wheels
const RADIANS = Math.PI / 180;

/**
 * Return the measured motion in m/s: forward, and how much faster the right side is than the left.
 * null: nothing was reported; a number that is null: not measured.
 * @param {App} app
 * @returns {{speed: number | null, turn: number | null} | null}
 */
export function baseMotion(app) {
  const { tracks, wagon } = app.store.data;
  if (baseTarget(app) === "wagon") {
    if (!wagon) return null;
    const { speed = null, yaw_rate: rate } = wagon;
    return { speed, turn: typeof rate === "number" ? rate * RADIANS * WAGON_WIDTH_M : null };
  }
  if (!tracks) return null;
  const { left_velocity: left, right_velocity: right } = tracks;
  if (typeof left !== "number" || typeof right !== "number") return { speed: null, turn: null };
  return { speed: (left + right) / 2, turn: right - left };
}
