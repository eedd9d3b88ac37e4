// Drives the robot from this page by stick, keys or game pad with a dead-man button. Samples are
// sent only while a control is held. Losing the focus, the page or the pad releases control, and
// all controls are ignored until none is held. No drawing.

import { handOfKeys, isDriveKey, isLookKey } from "./drive-keys.js";
import { gamepads, isDeadmanHeld, pressed, sticks } from "./gamepads.js";

/** @typedef {import("../api.js").Api} Api */
/** @typedef {import("../types.js").Description} Description */
/**
 * Where commands go: the page's WebSocket, or the link of remote operation.
 * @typedef {Pick<Api, "stream" | "command">} Outlet
 */

const PERIOD_MS = 20; // 50 Hz; the router times a client out after 300 ms
const MOST_PAN = 90;
const MOST_TILT = 60;
const LOOK_DEG_PER_S = 70; // speed of the head while a key is held
const SMALLEST_SHARE = 0.05;
const SHARE_STEP = 0.05;
const FASTER = 12; // up and down on the D-pad
const SLOWER = 13;
const REST = { linear: 0, angular: 0, pan: null, tilt: null };

export class Teleop {
  /** Share of the top speed at full deflection. */
  share = 0.25;
  /** The sticks on the screen; right and up are positive. */
  stick = { x: 0, y: 0, isHeld: false };
  look = { x: 0, y: 0, isHeld: false };
  /** Keys that are held while the page listens for them. @type {Set<string>} */
  keys = new Set();
  /** State of the dead-man button on the screen, for pads without shoulder buttons. */
  isButtonHeld = false;
  isEngaged = false;
  /**
   * The command that is sent now; null: none for the head.
   * @type {{linear: number, angular: number, pan: number | null, tilt: number | null}}
   */
  command = { ...REST };
  /** Start of the present motion of the base (performance.now); 0: no motion. */
  movingSince = 0;
  /** @type {Gamepad | null} */ pad = null;
  /** Index of the chosen pad; the first pad is used while it is missing. */
  chosen = 0;
  /** Measured direction of the head. @type {() => {pan: number, tilt: number}} */
  gaze = () => ({ pan: 0, tilt: 0 });
  /** Called when no control is held any more. */
  onRest = () => {};
  #mustRelease = false;
  #wasHeld = false;
  #isHeadMoved = false;
  #isDriving = false;
  #padKey = "";
  /** @type {number[]} */ #pressedBefore = [];
  #timer = 0;

  /**
   * @param {Api} api
   * @param {() => Description | null} robot its targets and its base; null until they are known
   * @param {() => boolean} mayDrive false without connection, during an e-stop, or for viewers
   * @param {() => void} changed requests a drawing
   */
  constructor(api, robot, mayDrive, changed) {
    /** @type {Outlet} */ this.outlet = api;
    this.robot = robot;
    this.mayDrive = mayDrive;
    this.changed = changed;
    addEventListener("blur", () => this.release());
    addEventListener("pagehide", () => this.release());
    addEventListener("gamepaddisconnected", () => this.release());
    document.addEventListener("visibilitychange", () => document.hidden && this.release());
  }

  /** Start polling when the page is shown. */
  open() {
    if (!this.#timer) this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
  }

  /** Release control and stop polling when another page is shown. */
  close() {
    if (!this.#timer) return;
    this.release();
    clearInterval(this.#timer);
    this.#timer = 0;
    this.stick = { x: 0, y: 0, isHeld: false };
    this.look = { x: 0, y: 0, isHeld: false };
    this.isButtonHeld = false;
  }

  /** Release control, and ignore all controls until none is held. */
  release() {
    this.#stop();
    this.keys.clear(); // a key released outside of the page sends no event here
    this.#mustRelease = true;
  }

  /**
   * Count a key as held. The repetitions of one that was released here, or was pressed before
   * control could be used, count no more: to move takes a new act.
   * @param {KeyboardEvent} event
   */
  press(event) {
    if (!event.repeat) this.keys.add(event.code);
  }

  /** Whether any control is held now. */
  get isHeld() {
    return this.#wasHeld;
  }

  /** @param {number} share of the top speed */
  setShare(share) {
    this.share = Math.min(1, Math.max(SMALLEST_SHARE, Math.round(share * 100) / 100));
    this.changed();
  }

  #tick() {
    this.#pollPads();
    const isPadHeld = this.pad !== null && (this.isButtonHeld || isDeadmanHeld(this.pad));
    const isTouched = this.stick.isHeld || this.look.isHeld;
    const isHeld = isTouched || this.keys.size > 0 || this.isButtonHeld || isPadHeld;
    if (!isHeld) this.#mustRelease = false;
    const hasSource = isTouched || this.keys.size > 0 || isPadHeld;
    if (isHeld && hasSource && !this.#mustRelease && this.mayDrive())
      this.#send(this.#hand(isTouched));
    else if (isHeld && (this.isEngaged || hasSource)) this.release();
    else this.#stop();
    if (isHeld || this.pad || this.#wasHeld) this.changed(); // otherwise nothing here has changed
    const isRest = this.#wasHeld && !isHeld;
    this.#wasHeld = isHeld;
    if (isRest) this.onRest();
  }

  /** Read the pads at each tick, because getGamepads returns a snapshot. */
  #pollPads() {
    const pads = gamepads();
    this.pad = pads.find((pad) => pad.index === this.chosen) ?? pads[0] ?? null;
    const key = this.pad ? `${this.pad.index} ${this.pad.id}` : "";
    if (key !== this.#padKey) {
      this.#padKey = key;
      this.release();
    }
    const now = this.pad ? pressed(this.pad) : [];
    const isNew = (/** @type {number} */ button) =>
      now.includes(button) && !this.#pressedBefore.includes(button);
    if (isNew(FASTER)) this.setShare(this.share + SHARE_STEP);
    if (isNew(SLOWER)) this.setShare(this.share - SHARE_STEP);
    this.#pressedBefore = now;
  }

  /**
   * Return what the held control commands; null: no command for that part.
   * @param {boolean} isTouched
   * @returns {{drive: {x: number, y: number} | null, gaze: {pan: number, tilt: number} | null}}
   */
  #hand(isTouched) {
    if (isTouched) {
      return {
        drive: this.stick.isHeld ? this.stick : null,
        gaze: this.look.isHeld ? toGaze(this.look.x, this.look.y) : null,
      };
    }
    if (this.keys.size) return this.#handOfKeys();
    const { x, y, turnX, turnY } = sticks(/** @type {Gamepad} */ (this.pad));
    // LiveLink keeps the head until the right stick moves.
    this.#isHeadMoved ||= turnX !== 0 || turnY !== 0;
    return { drive: { x, y }, gaze: this.#isHeadMoved ? toGaze(turnX, turnY) : null };
  }

  #handOfKeys() {
    const { x, y, turnX, turnY } = handOfKeys(this.keys);
    const codes = [...this.keys];
    const { pan, tilt } =
      this.command.pan === null
        ? this.gaze()
        : { pan: this.command.pan, tilt: this.command.tilt ?? 0 };
    const step = (LOOK_DEG_PER_S * PERIOD_MS) / 1000;
    const gaze = {
      pan: within(pan - turnX * step, MOST_PAN),
      tilt: within(tilt + turnY * step, MOST_TILT),
    };
    return {
      drive: codes.some(isDriveKey) ? { x, y } : null,
      gaze: codes.some(isLookKey) ? gaze : null,
    };
  }

  /**
   * @param {{drive: {x: number, y: number} | null, gaze: {pan: number, tilt: number} | null}} hand
   */
  #send({ drive, gaze }) {
    const { targets, base = "" } = this.robot() ?? {};
    const { linear, angular } = targets?.[base] ?? {};
    if (!drive && this.#isDriving) this.#stopBase();
    const velocity = {
      linear: (drive?.y ?? 0) * this.share * (linear?.limits[1] ?? 0),
      angular: -(drive?.x ?? 0) * this.share * (angular?.limits[1] ?? 0) || 0, // left is positive
    };
    if (!velocity.linear && !velocity.angular) this.movingSince = 0;
    else this.movingSince ||= performance.now();
    this.isEngaged = true;
    const { pan, tilt } = targets?.head ?? {};
    const aim =
      gaze && pan && tilt
        ? { pan: within(gaze.pan, pan.limits[1]), tilt: within(gaze.tilt, tilt.limits[1]) }
        : null;
    this.command = { ...velocity, ...(aim ?? { pan: null, tilt: null }) };
    if (drive && base) {
      this.#isDriving = true;
      this.outlet.stream(base, velocity);
    }
    if (aim) this.outlet.stream("head", aim);
  }

  #stop() {
    if (!this.isEngaged) return;
    this.#stopBase();
    this.isEngaged = false;
    this.#isHeadMoved = false;
    this.command = { ...REST };
    this.movingSince = 0;
  }

  #stopBase() {
    if (this.#isDriving && this.robot()?.base) this.outlet.command("base", "stop", {});
    this.#isDriving = false;
  }
}

/**
 * Convert a stick position to angles; right is negative (REP 103).
 * @param {number} x
 * @param {number} y
 */
const toGaze = (x, y) => ({ pan: -x * MOST_PAN || 0, tilt: y * MOST_TILT });

/** @param {number} value @param {number} most */
const within = (value, most) => Math.min(most, Math.max(-most, value));
