// Game pads as the browser tells them: which there are, where their sticks are, whether the
// dead-man button is held. Not here: what is made of it (teleop.js).

const DEADZONE = 0.12; // worn sticks rest as far from the middle as this
const DEADMAN = [4, 5]; // L1 and R1 of the standard layout

/** Browsers give pads only to safe pages (https, localhost); some give them to every page. */
export const isPossible = typeof navigator.getGamepads === "function";

/** @returns {Gamepad[]} those that are connected */
export function gamepads() {
  if (!isPossible) return [];
  return [...navigator.getGamepads()].flatMap((pad) => (pad?.connected ? [pad] : []));
}

/** A pad's name as people know it. @param {Gamepad} pad */
export function padName(pad) {
  return (
    pad.id.replace(/\s*\([^()]*(vendor|standard)[^()]*\)\s*/i, "").trim() || `Pad ${pad.index + 1}`
  );
}

/** @param {Gamepad} pad */
export function isDeadmanHeld(pad) {
  return DEADMAN.some((button) => pad.buttons[button]?.pressed);
}

/**
 * Both sticks, -1 to 1: up and right are positive.
 * @param {Gamepad} pad
 */
export function sticks(pad) {
  const [x, y, turnX, turnY] = [0, 1, 2, 3].map((axis) => centred(pad.axes[axis]));
  return { x, y: -y || 0, turnX, turnY: -turnY || 0 };
}

/** Nothing around the middle, and no jump at its edge. @param {number | undefined} value */
export function centred(value) {
  if (value === undefined || !Number.isFinite(value)) return 0;
  const size = Math.min(1, Math.abs(value));
  return size <= DEADZONE ? 0 : (Math.sign(value) * (size - DEADZONE)) / (1 - DEADZONE);
}

/** Indices of the buttons that are pressed. @param {Gamepad} pad */
export function pressed(pad) {
  return pad.buttons.flatMap((button, index) => (button.pressed ? [index] : []));
}
