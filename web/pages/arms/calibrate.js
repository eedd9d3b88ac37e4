// The tab "Calibrate": half-turn homing, the range of every joint, LeRobot's file both ways. The
// positions are those that the role measures; what is found goes into the robot's parts, from where
// the role writes it to the servos. Not here: the numbers (lib/robot/arms.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField, withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import * as arms from "../../lib/robot/arms.js";
import { isReporting, isRunning, isWithoutDigest } from "../../lib/robot/nodes.js";
import { STALE_MS } from "../../lib/store.js";
import { saveText } from "../../lib/transfer.js";
import { reading } from "../../parts/live.js";
import { framed } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("./sequences.js").App & import("../../context.js").With<"router">} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {import("../../lib/robot/arms.js").Motor} Motor */

const FULL_TURN = ["wrist_roll"]; // turns without an end: LeRobot's convention

/** The calibration on its way. */
const run = {
  target: "",
  /** Offset of each joint that makes its middle 2047. @type {Map<string, number>} */
  offsets: new Map(),
  /** @type {Map<string, arms.RangeRecorder>} */ ranges: new Map(),
  message: "",
  /** The role is to start again, with other offsets in its servos. */ isAwaited: false,
  isChanging: false,
  /** Since when its node reports that it has; what the role reported before is no longer fresh
   * afterwards. @type {number | null} */
  followsSince: null,
};

export function endCalibration() {
  Object.assign(run, { target: "", message: "", isAwaited: false });
  run.offsets.clear();
  run.ranges.clear();
}

/** @param {App} app @param {string} target */
export function calibrateView(app, target) {
  if (run.target !== target) {
    endCalibration();
    run.target = target;
  }
  const parts = state.partsOf(target).map((part) => arms.scaled(part, unitOf(app, part)));
  const isOld = !isReporting(app, target, app.now);
  if (run.isAwaited && hasFollowed(app)) run.isAwaited = false;
  if (!isOld) for (const part of parts) follow(app, part);
  return framed(
    app,
    "/arms/calibrate",
    html`
      <div class="arms-calibrate" data-calibrate=${target} data-step=${step()}>
        ${choice(app, target)}
        ${
          isAdmin(app)
            ? steps(app, parts, isOld)
            : html`<p class="notice is-quiet">Calibrating needs the admin role.</p>`
        }
        ${files(app, parts)} ${ids(parts)}
      </div>
    `,
  );
}

/** @param {App} app @param {RobotPart[]} parts @param {boolean} isOld */
function steps(app, parts, isOld) {
  if (parts.some((part) => state.isDynamixel(part))) return byCommand();
  return html`${limp(parts)} ${homing(app, parts, isOld)} ${range(app, parts, isOld)}`;
}

const byCommand = () => html`
  <section class="card" data-by-command>
    <h2>Ranges</h2>
    <p>
      Dynamixels cannot make every pose the middle of their turn, so they are not homed. Measure
      their ranges on the node, with the role stopped:
      <code>saintctl arm calibrate PORT FILE --protocol x</code>. Then import FILE here.
    </p>
  </section>
`;

/** @param {App} app @param {RobotPart} part */
const unitOf = (app, part) => sensorOf(app, part)?.unit ?? "deg";

/** @param {App} app */
function hasFollowed(app) {
  const follows = isRunning(app, run.target, state.configurations[run.target]);
  if (run.isChanging || !follows) run.followsSince = null;
  else run.followsSince ??= app.now;
  return run.followsSince !== null && app.now - run.followsSince > STALE_MS;
}

const step = () => (run.offsets.size ? "range" : "homing");

/** @param {App} app @param {string} target */
function choice(app, target) {
  const go = withValue((value) => app.router.go(`/arms/calibrate/${value}`));
  return html`
    <label class="arm-choice">
      Arm
      <select @change=${go}>
        ${arms
          .calibrated(app.robot)
          .map(
            (each) =>
              html`<option value=${each} ?selected=${each === target}>${targetName(each)}</option>`,
          )}
      </select>
    </label>
    ${run.message ? done() : nothing}
  `;
}

const done = () => html`<p class="notice is-quiet" role="status" data-done>${run.message}</p>`;

/** What a servo reports now with the offset that it has; null: unknown. @param {App} app
 * @param {RobotPart} part */
function ticksNow(app, part) {
  const value = sensorOf(app, part)?.value ?? null;
  return value === null ? null : arms.ticksAt(part, value);
}

/** @param {App} app @param {RobotPart} part */
function sensorOf(app, part) {
  const sensors = app.store.data.parts?.targets?.[part.target]?.sensors ?? {};
  return sensors[`${part.name}_position`];
}

/** The same with the offset of this calibration. @param {App} app @param {RobotPart} part */
function homedTicks(app, part) {
  const ticks = ticksNow(app, part);
  const offset = run.offsets.get(part.name);
  if (ticks === null || offset === undefined) return null;
  return arms.present(ticks + Number(part.hardware.homing_offset ?? 0), offset);
}

/** @param {App} app @param {RobotPart} part */
function follow(app, part) {
  const ticks = homedTicks(app, part);
  if (ticks !== null) run.ranges.get(part.name)?.saw(ticks);
}

/** @param {RobotPart[]} parts */
function limp(parts) {
  const isLimp = parts.length > 0 && parts.every((part) => part.hardware.on_stop === "limp");
  return html`
    <section class="card">
      <h2>1. Limp</h2>
      <p>
        Hold the arm: it is moved by hand now.
        ${
          arms.isLeader(run.target)
            ? "A leader has no torque; keep its clutch open."
            : isLimp
              ? "Press the emergency stop: these servos lose their torque."
              : html`Servos have no torque until they are commanded after their supply was switched
                on: switch it off and on, and command nothing.`
        }
      </p>
    </section>
  `;
}

/** @param {App} app @param {RobotPart[]} parts @param {boolean} isOld */
function homing(app, parts, isOld) {
  const unknown = parts.filter((p) => typeof p.hardware.homing_offset !== "number");
  const isMissing = parts.some((part) => ticksNow(app, part) === null);
  const off = state.isBusy || isOld || isMissing || run.isAwaited || !parts.length;
  if (isWithoutDigest(app, run.target)) return outdated();
  return html`
    <section class="card">
      <h2>2. Middle</h2>
      ${
        unknown.length
          ? html`
            <p>The offsets in the servos are not known yet. They are set to 0 first.</p>
            <button class="button" type="button" data-prepare ?disabled=${state.isBusy}
              @click=${() => prepare(app, unknown)}>Set the offsets to 0</button>
          `
          : html`
            <p>
              ${
                run.isAwaited
                  ? "The role starts again with the new offsets; wait a moment."
                  : "Move every joint to the middle of its range."
              }
            </p>
            <button class="button primary" type="button" data-home ?disabled=${off}
              @click=${() => home(app, parts)}>
              ${run.offsets.size ? "Home again" : "This is the middle"}
            </button>
          `
      }
    </section>
  `;
}

/** Its node cannot say that its role has started again with other offsets. */
const outdated = () => html`
  <section class="card">
    <h2>2. Middle</h2>
    <p data-outdated>
      The node of this arm runs an older release, which does not report when new offsets are in its
      servos. Update the node on <a href="/firmware">Firmware</a>, then calibrate here.
    </p>
  </section>
`;

/** @param {App} app @param {RobotPart[]} unknown */
function prepare(app, unknown) {
  const edits = unknown.map(({ target, name }) => ({
    target,
    name,
    hardware: { homing_offset: 0 },
  }));
  return save(app, edits, "The offsets are 0.");
}

/** @param {App} app @param {RobotPart[]} parts */
function home(app, parts) {
  run.message = "";
  for (const part of parts) {
    const ticks = /** @type {number} */ (ticksNow(app, part));
    const actual = ticks + Number(part.hardware.homing_offset);
    run.offsets.set(part.name, arms.homingOffset(actual));
    const at = /** @type {number} */ (homedTicks(app, part));
    run.ranges.set(part.name, new arms.RangeRecorder(at));
  }
  app.draw();
}

/** @param {App} app @param {RobotPart[]} parts @param {boolean} isOld */
function range(app, parts, isOld) {
  if (!run.offsets.size) return nothing;
  const wrong = parts.filter((part) => problemOf(part));
  const missing = wrong.map(({ name }) => words(name)).join(", ");
  return html`
    <section class="card" ?data-stale=${isOld}>
      <h2>3. Range</h2>
      <p>Move every joint from end to end.</p>
      <div class="arm-ranges">${parts.map((part) => rangeRow(part))}</div>
      <button class="button primary" type="button" data-save
        ?disabled=${state.isBusy || isOld || wrong.length > 0}
        @click=${() => saveRanges(app, parts)}>Save the calibration</button>
      <span class="quiet" data-missing>
        ${reading(wrong.length ? `Not ready: ${missing}` : "")}
      </span>
    </section>
  `;
}

/** @param {RobotPart} part */
function problemOf({ name }) {
  if (FULL_TURN.includes(name)) return "";
  return run.ranges.get(name)?.problem ?? "not moved yet";
}

/** @param {RobotPart} part */
function rangeRow(part) {
  const found = run.ranges.get(part.name);
  if (!found) return nothing;
  const problem = problemOf(part);
  const isFull = FULL_TURN.includes(part.name);
  const [low, high] = isFull ? [0, 4095] : [found.low, found.high];
  return html`
    <div class="arm-range" data-range=${part.name} ?data-seam=${found.hasCrossed && !isFull}>
      <b>${words(part.name)}</b>
      <svg class="arm-range-bar" viewBox="0 0 4095 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="swept" x=${low} width=${Math.max(0, high - low)} height="1"></rect>
        <rect class="at" x=${Math.min(found.at, 4055)} width="40" height="1"></rect>
      </svg>
      <span class="number">${reading(`${low} … ${found.at} … ${high}`)}</span>
      <span class="quiet">${isFull ? "whole turn" : problem}</span>
    </div>
  `;
}

/** @param {App} app @param {RobotPart[]} parts */
async function saveRanges(app, parts) {
  /** @type {Map<string, Motor>} */
  const motors = new Map();
  for (const part of parts) {
    const found = run.ranges.get(part.name);
    const offset = run.offsets.get(part.name);
    if (!found || offset === undefined) return;
    const isFull = FULL_TURN.includes(part.name);
    motors.set(part.name, {
      ...arms.motorOf(part),
      homing_offset: offset,
      range_min: isFull ? 0 : found.low,
      range_max: isFull ? 4095 : found.high,
    });
  }
  if (await save(app, arms.editsOf(parts, motors), "The calibration is saved.")) {
    run.offsets.clear();
    run.ranges.clear();
  }
}

/**
 * @param {App} app @param {import("../../lib/types.js").PartEdit[]} parts
 * @param {string} message
 */
async function save(app, parts, message) {
  Object.assign(run, { isAwaited: true, isChanging: true, followsSince: null });
  const isDone = await state.change(app, parts);
  run.isChanging = false;
  if (isDone) run.message = `${message} The role starts again when nothing moves.`;
  else run.isAwaited = false;
  app.draw();
  return isDone;
}

/** @param {App} app @param {RobotPart[]} parts */
function files(app, parts) {
  const read = withField(async (field) => {
    const file = field.files?.[0];
    if (!file) return;
    const text = await file.text();
    field.value = "";
    try {
      const edits = arms.editsOf(parts, arms.readFile(text, parts));
      await save(app, edits, `${file.name} is imported.`);
    } catch (err) {
      state.problem = /** @type {Error} */ (err).message;
      app.draw();
    }
  });
  const name = `${run.target.replace(".", "-")}.json`;
  return html`
    <section class="card">
      <h2>LeRobot's file</h2>
      <div class="toolbar">
        <button class="button" type="button" data-export ?disabled=${!parts.length}
          @click=${() => saveText(name, arms.written(parts))}>Export</button>
        ${
          isAdmin(app)
            ? html`<label class="button">
                Import…
                <input type="file" class="hidden" accept=".json" data-import @change=${read}>
              </label>`
            : nothing
        }
      </div>
    </section>
  `;
}

/** @param {RobotPart[]} parts */
const ids = (parts) => html`
  <section class="card">
    <h2>Ids</h2>
    <p class="quiet">
      New servos all have the id 1. Give each its id while it is alone on the line, on the computer
      that it is connected to, with the role stopped:
    </p>
    <pre class="arm-ids">${parts
      .toReversed()
      .map((part) => {
        const words = `${part.hardware.servo_id}${state.isDynamixel(part) ? " --protocol x" : ""}`;
        return `saintctl arm setup PORT --id ${words}   # ${part.name}`;
      })
      .join("\n")}</pre>
  </section>
`;
