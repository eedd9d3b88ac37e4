// Reads game pads: their names, stick positions, pressed buttons and dead-man buttons. Not here:
// driving by them (teleop.js).

const DEADZONE = 0.12; // worn sticks rest up to this far from the centre
const DEADMAN = [4, 5]; // L1 and R1 of the standard layout

/** Most browsers give game pads only to secure pages (https, localhost). */
export const isPossible = typeof navigator.getGamepads === "function";

/** @returns {Gamepad[]} the connected ones */
export function gamepads() {
  if (!isPossible) return [];
  return [...navigator.getGamepads()].flatMap((pad) => (pad?.connected ? [pad] : []));
}

/** Return the pad's name without vendor and product numbers. @param {Gamepad} pad */
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
 * Read both sticks, each axis from -1 to 1; up and right are positive.
 * @param {Gamepad} pad
 */
export function sticks(pad) {
  const [x, y, turnX, turnY] = [0, 1, 2, 3].map((axis) => centred(pad.axes[axis]));
  return { x, y: -y || 0, turnX, turnY: -turnY || 0 };
}

/** Apply the dead zone, without a jump at its edge. @param {number | undefined} value */
export function centred(value) {
  if (value === undefined || !Number.isFinite(value)) return 0;
  const size = Math.min(1, Math.abs(value));
  return size <= DEADZONE ? 0 : (Math.sign(value) * (size - DEADZONE)) / (1 - DEADZONE);
}

/** Return the indices of the pressed buttons. @param {Gamepad} pad */
export function pressed(pad) {
  return pad.buttons.flatMap((button, index) => (button.pressed ? [index] : []));
}
