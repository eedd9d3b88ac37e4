// Maps keys to driving and looking, by their position on the keyboard and not by their letter.
// Pure.

/**
 * x and y of the tracks: right and forward are positive.
 * @type {Record<string, [number, number]>}
 */
const DRIVE = {
  KeyW: [0, 1],
  KeyS: [0, -1],
  KeyA: [-1, 0],
  KeyD: [1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
};
/** x and y of the head: right and up are positive. @type {Record<string, [number, number]>} */
const LOOK = { KeyI: [0, 1], KeyK: [0, -1], KeyJ: [-1, 0], KeyL: [1, 0] };
/** Share of the top speed. @type {Record<string, number>} */
export const SPEEDS = { Digit1: 0.1, Digit2: 0.25, Digit3: 0.5, Digit4: 1 };

/** @param {string} code */
export const isDriveKey = (code) => code in DRIVE;
/** @param {string} code */
export const isLookKey = (code) => code in LOOK;

/** @param {Set<string>} held */
export function handOfKeys(held) {
  const [x, y] = sum(DRIVE, held);
  const [turnX, turnY] = sum(LOOK, held);
  return { x, y, turnX, turnY };
}

/**
 * Sum the held keys: opposite keys cancel out, two of one direction count once.
 * @param {Record<string, [number, number]>} map
 * @param {Set<string>} held
 */
function sum(map, held) {
  let [x, y] = [0, 0];
  for (const code of held) {
    x += map[code]?.[0] ?? 0;
    y += map[code]?.[1] ?? 0;
  }
  return [Math.sign(x), Math.sign(y)];
}
