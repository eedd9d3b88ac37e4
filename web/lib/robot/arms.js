// Arms of servos on a serial bus: joints, masters and followers as pages show them, and their
// calibration as LeRobot counts it. Pure.

import { sourceName } from "../format.js";

/** @typedef {import("../types.js").Description} Description */
/** @typedef {import("../types.js").MasterInfo} MasterInfo */
/** @typedef {import("../types.js").States} States */
/** @typedef {import("../types.js").RobotPart} RobotPart */

const TURN = 4096;
const MOST = TURN - 1;
const MIDDLE = 2047;
const DEGREES = 360 / MOST; // of one position
const MOST_OFFSET = 2047; // of the register
const LEAST_RANGE = 20; // positions; a joint that has moved less was not moved from end to end
const HOT_C = 60;

/** Return the targets that the page Arms shows. @param {Description | null} robot */
export const armsOf = (robot) => Object.keys(robot?.arms ?? {});

const LEADER = "leader.";

/** What can be calibrated: arms and leaders. @param {Description | null} robot */
export const calibrated = (robot) => [
  ...armsOf(robot),
  ...Object.keys(robot?.leaders ?? {}).map((name) => LEADER + name),
];

/** Whether a target is an arm that a person moves by hand. @param {string} target */
export const isLeader = (target) => target.startsWith(LEADER);

/** A ratio is shown from 0 to 100. @param {number} value @param {string} unit */
export const shown = (value, unit) => (unit === "ratio" ? value * 100 : value);

/** @param {number} value as shown @param {string} unit */
export const fromShown = (value, unit) => (unit === "ratio" ? value / 100 : value);

/**
 * Return temperature and load of a joint, as far as its servo measures them.
 * @param {Partial<States>} data @param {string} target @param {string} joint
 */
export function strain(data, target, joint) {
  const sensors = data.parts?.targets?.[target]?.sensors ?? {};
  const celsius = sensors[`${joint}_temperature`]?.value ?? null;
  return { celsius, load: sensors[`${joint}_load`]?.value ?? null, isHot: (celsius ?? 0) >= HOT_C };
}

/**
 * Say who has an arm and how to get it; empty: the page may move it.
 * @param {MasterInfo | undefined} master @param {string} clientId of this page
 */
export function lockText(master, clientId) {
  if (!master || master.kind === "none" || isOwn(master, clientId)) return "";
  const who = masterName(master);
  const others = {
    leader: "open its clutch, or take over here",
    sequence: "stop the sequence, or take over here",
    client: "wait until that page or program releases it, or take over here",
    other: "wait until it releases the arm, or take over here",
  };
  return `${who} has this arm. To move it: ${others[/** @type {"leader"} */ (master.kind)]}.`;
}

/** @param {MasterInfo} master @param {string} clientId */
export const isOwn = (master, clientId) => master.holder === `websocket:${clientId}`;

/** "Leader hand", "The sequence" @param {MasterInfo} master */
export function masterName(master) {
  if (master.kind === "sequence") return "A sequence";
  return master.kind === "none" ? "Nobody" : sourceName(master.holder);
}

/**
 * Return how far the joints are behind what is commanded, in degrees; the gripper is left out.
 * @param {Description | null} robot @param {Partial<States>} data @param {string} target
 * @returns {number | null}
 */
export function behind(robot, data, target) {
  let most = null;
  for (const joint of robot?.arms?.[target] ?? []) {
    if (robot?.targets[target]?.[joint]?.unit !== "deg") continue;
    const row = data.outputs?.fields.find((e) => e.target === target && e.field === joint);
    const is = data.parts?.targets?.[target]?.sensors[`${joint}_position`]?.value ?? null;
    if (row?.value === null || row?.value === undefined || is === null) continue;
    most = Math.max(most ?? 0, Math.abs(row.value - is));
  }
  return most;
}

// Calibration

/**
 * Return the joint of a leader with unit and limits, which no file gives it: its role reports
 * degrees from the middle of its range, or a share of it. Other parts have theirs.
 * @param {RobotPart} part @param {string} unit as its role reports it
 */
export const scaled = (part, unit) =>
  isLeader(part.target) ? { ...part, unit, limits: limitsOf(motorOf(part), unit) } : part;

/** Return the position of a servo at a value of its joint. @param {RobotPart} part
 * @param {number} value */
export function ticksAt(part, value) {
  const [first, last] = endsOf(part);
  const [low, high] = part.limits;
  return Math.round(first + ((value - low) / (high - low)) * (last - first));
}

/** @param {RobotPart} part @returns {[number, number]} */
function endsOf({ hardware }) {
  const given = Array.isArray(hardware.ticks) ? hardware.ticks.map(Number) : [0, MOST];
  const [first, last] = hardware.reversed ? given.toReversed() : given;
  return [first, last];
}

/** The offset that makes a pose the middle of the turn. @param {number} actual without offset */
export function homingOffset(actual) {
  const turned = ((actual % TURN) + TURN) % TURN;
  return Math.max(-MOST_OFFSET, Math.min(turned - MIDDLE, MOST_OFFSET));
}

/** What a servo with an offset reports. @param {number} actual @param {number} offset */
export const present = (actual, offset) => (((actual - offset) % TURN) + TURN) % TURN;

/** Follows one joint while a person moves it through its range. */
export class RangeRecorder {
  hasCrossed = false; // the seam between the last position and 0

  /** @param {number} start */
  constructor(start) {
    this.low = this.high = this.at = start;
  }

  /** @param {number} ticks */
  saw(ticks) {
    if (Math.abs(ticks - this.at) > TURN / 2) this.hasCrossed = true;
    this.at = ticks;
    this.low = Math.min(this.low, ticks);
    this.high = Math.max(this.high, ticks);
  }

  /** Why the range is not usable; empty: it is. */
  get problem() {
    if (this.hasCrossed) return "passed the end of its turn (4095 to 0): home it again";
    return this.high - this.low < LEAST_RANGE ? "not moved yet" : "";
  }
}

/**
 * @typedef {object} Motor calibration of one motor, with LeRobot's names
 * @property {number} id
 * @property {number} drive_mode
 * @property {number} homing_offset
 * @property {number} range_min
 * @property {number} range_max
 */

/** Return the limits of a joint with this range. @param {Motor} motor @param {string} unit */
export function limitsOf({ range_min: low, range_max: high }, unit) {
  if (unit === "ratio") return [0, 1];
  const half = Number((((high - low) / 2) * DEGREES).toFixed(4));
  return [-half, half];
}

/** Return the calibration that a part has. @param {RobotPart} part @returns {Motor} */
export function motorOf({ hardware }) {
  const ticks = Array.isArray(hardware.ticks) ? hardware.ticks.map(Number) : [0, MOST];
  return {
    id: Number(hardware.servo_id ?? 0),
    drive_mode: hardware.reversed ? 1 : 0,
    homing_offset: Number(hardware.homing_offset ?? 0),
    range_min: Math.min(...ticks),
    range_max: Math.max(...ticks),
  };
}

/** Return LeRobot's file. @param {RobotPart[]} parts */
export const written = (parts) =>
  JSON.stringify(Object.fromEntries(parts.map((part) => [part.name, motorOf(part)])), null, 4);

/**
 * Read LeRobot's file. Throws Error with what is wrong.
 * @param {string} text @param {RobotPart[]} parts of the arm
 * @returns {Map<string, Motor>}
 */
export function readFile(text, parts) {
  /** @type {unknown} */
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error("The file is no JSON. Use the file that lerobot-calibrate has saved.");
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new Error("The file is no calibration of LeRobot: it names no motors.");
  const found = new Map();
  for (const [name, motor] of Object.entries(given)) {
    const part = parts.find((each) => each.name === name);
    if (!part) throw new Error(`The arm has no joint ${name}.`);
    found.set(name, checked(name, motor, Number(part.hardware.servo_id)));
  }
  return found;
}

/** @param {string} name @param {unknown} given @param {number} id of the part
 * @returns {Motor} */
function checked(name, given, id) {
  const motor = /** @type {Record<string, unknown>} */ (given ?? {});
  const number = (/** @type {keyof Motor} */ key, /** @type {number} */ least, most = MOST) => {
    const value = motor[key];
    if (!Number.isInteger(value) || Number(value) < least || Number(value) > most)
      throw new Error(`${name}: ${key} is ${value}, not a number from ${least} to ${most}.`);
    return Number(value);
  };
  const found = {
    id: number("id", 0, 253),
    drive_mode: number("drive_mode", 0, 1),
    homing_offset: number("homing_offset", -MOST_OFFSET, MOST_OFFSET),
    range_min: number("range_min", 0),
    range_max: number("range_max", 0),
  };
  if (found.range_min >= found.range_max)
    throw new Error(`${name}: range_min ${found.range_min} is not below ${found.range_max}.`);
  if (found.id !== id) throw new Error(`${name} has the id ${found.id} in the file, ${id} here.`);
  return found;
}

/**
 * Return the limits that both allow. A calibration makes them narrower only: they may be those of
 * the figure, or the owner's.
 * @param {number[]} before @param {number[]} found
 */
function narrowed([low = -Infinity, high = Infinity], [least = -Infinity, most = Infinity]) {
  const both = [Math.max(low, least), Math.min(high, most)];
  return Number(both[0]) < Number(both[1]) ? both : [least, most];
}

/**
 * Return the changes of the parts that a calibration means, for `robot set_parts`.
 * @param {RobotPart[]} parts @param {Map<string, Motor>} motors
 */
export const editsOf = (parts, motors) =>
  parts.flatMap((part) => {
    const motor = motors.get(part.name);
    if (!motor) return [];
    const ticks = [motor.range_min, motor.range_max];
    return {
      target: part.target,
      name: part.name,
      hardware: { ticks, homing_offset: motor.homing_offset },
      ...(isLeader(part.target)
        ? {}
        : { output: { limits: narrowed(part.limits, limitsOf(motor, part.unit)) } }),
    };
  });
