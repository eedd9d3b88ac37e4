// Driving from this page: who holds it (a stick on the screen, keys, a game pad), what is asked
// for, when it is let go. Nothing is sent unless something is held; whatever takes the page away
// from the hand lets go, and then it must be released before it counts again. No drawing.

import { handOfKeys, isDriveKey, isLookKey } from "./drive-keys.js";
import { gamepads, isDeadmanHeld, pressed, sticks } from "./gamepads.js";

/** @typedef {import("../api.js").Api} Api */
/** @typedef {import("../types.js").Description["targets"]} Targets */

const PERIOD_MS = 20; // 50 samples a second; the router lets go of a client after 300 ms
const MOST_PAN = 90;
const MOST_TILT = 60;
const LOOK_DEG_PER_S = 70; // by keys: the head goes on turning while one is held
const SMALLEST_SHARE = 0.05;
const SHARE_STEP = 0.05;
const FASTER = 12; // up and down of the pad's cross
const SLOWER = 13;
const REST = { linear: 0, angular: 0, pan: null, tilt: null };

export class Teleop {
  /** Share of the top speed at full deflection. */
  share = 0.25;
  /** The sticks on the screen: right and up are positive. */
  stick = { x: 0, y: 0, isHeld: false };
  look = { x: 0, y: 0, isHeld: false };
  /** Keys that are held while the page listens to them. @type {Set<string>} */
  keys = new Set();
  /** The dead-man button on the screen, for pads without shoulder buttons. */
  isButtonHeld = false;
  isEngaged = false;
  /**
   * What is asked for now; null: the head is left alone.
   * @type {{linear: number, angular: number, pan: number | null, tilt: number | null}}
   */
  asked = { ...REST };
  /** When something began to be asked of the tracks (performance.now); 0: nothing is. */
  askedAt = 0;
  /** @type {Gamepad | null} */ pad = null;
  /** Index of the pad that the person chose; the first one when it is gone. */
  chosen = 0;
  /** Where the head looks, as it says itself. @type {() => {pan: number, tilt: number}} */
  gaze = () => ({ pan: 0, tilt: 0 });
  #mustRelease = false;
  #wasHeld = false;
  #isHeadMoved = false;
  #isDriving = false;
  #padKey = "";
  /** @type {number[]} */ #pressedBefore = [];
  #timer = 0;

  /**
   * @param {Api} api
   * @param {() => Targets | null} targets fields of the robot by target, null while they are not
   * known
   * @param {() => boolean} mayDrive false: no connection, e-stop, not allowed
   * @param {() => void} changed something to draw
   */
  constructor(api, targets, mayDrive, changed) {
    this.api = api;
    this.targets = targets;
    this.mayDrive = mayDrive;
    this.changed = changed;
    addEventListener("blur", () => this.letGo());
    addEventListener("pagehide", () => this.letGo());
    addEventListener("gamepaddisconnected", () => this.letGo());
    document.addEventListener("visibilitychange", () => document.hidden && this.letGo());
  }

  /** The page is shown. */
  open() {
    if (!this.#timer) this.#timer = setInterval(() => this.#tick(), PERIOD_MS);
  }

  /** Another page is shown. */
  close() {
    if (!this.#timer) return;
    this.letGo();
    clearInterval(this.#timer);
    this.#timer = 0;
    this.stick = { x: 0, y: 0, isHeld: false };
    this.look = { x: 0, y: 0, isHeld: false };
    this.isButtonHeld = false;
  }

  /** Stop, and do not start again before everything was released. */
  letGo() {
    this.#stop();
    this.keys.clear(); // a key that is released elsewhere would be held for ever
    this.#mustRelease = true;
  }

  /** @param {number} share of the top speed */
  setShare(share) {
    this.share = Math.min(1, Math.max(SMALLEST_SHARE, Math.round(share * 100) / 100));
    this.changed();
  }

  #tick() {
    this.#lookAtPads();
    const isPadHeld = this.pad !== null && (this.isButtonHeld || isDeadmanHeld(this.pad));
    const isTouched = this.stick.isHeld || this.look.isHeld;
    const isHeld = isTouched || this.keys.size > 0 || this.isButtonHeld || isPadHeld;
    if (!isHeld) this.#mustRelease = false;
    const hasSource = isTouched || this.keys.size > 0 || isPadHeld;
    if (isHeld && hasSource && !this.#mustRelease && this.mayDrive())
      this.#send(this.#hand(isTouched));
    else if (this.isEngaged && isHeld) this.letGo();
    else this.#stop();
    if (isHeld || this.pad || this.#wasHeld) this.changed(); // else nothing of ours has moved
    this.#wasHeld = isHeld;
  }

  /** Pads are read anew each time: what getGamepads gave is a picture. */
  #lookAtPads() {
    const pads = gamepads();
    this.pad = pads.find((pad) => pad.index === this.chosen) ?? pads[0] ?? null;
    const key = this.pad ? `${this.pad.index} ${this.pad.id}` : "";
    if (key !== this.#padKey) {
      this.#padKey = key;
      this.letGo();
    }
    const now = this.pad ? pressed(this.pad) : [];
    const isNew = (/** @type {number} */ button) =>
      now.includes(button) && !this.#pressedBefore.includes(button);
    if (isNew(FASTER)) this.setShare(this.share + SHARE_STEP);
    if (isNew(SLOWER)) this.setShare(this.share - SHARE_STEP);
    this.#pressedBefore = now;
  }

  /**
   * What the hand wants; null: it leaves that alone.
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
    // The head follows the face until somebody moves the right stick.
    this.#isHeadMoved ||= turnX !== 0 || turnY !== 0;
    return { drive: { x, y }, gaze: this.#isHeadMoved ? toGaze(turnX, turnY) : null };
  }

  #handOfKeys() {
    const { x, y, turnX, turnY } = handOfKeys(this.keys);
    const codes = [...this.keys];
    const { pan, tilt } =
      this.asked.pan === null ? this.gaze() : { pan: this.asked.pan, tilt: this.asked.tilt ?? 0 };
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
    const targets = this.targets();
    const { linear, angular } = targets?.tracks ?? {};
    if (!drive && this.#isDriving) this.#stopTracks();
    const velocity = {
      linear: (drive?.y ?? 0) * this.share * (linear?.limits[1] ?? 0),
      angular: -(drive?.x ?? 0) * this.share * (angular?.limits[1] ?? 0) || 0, // left is positive
    };
    if (!velocity.linear && !velocity.angular) this.askedAt = 0;
    else this.askedAt ||= performance.now();
    this.isEngaged = true;
    const { pan, tilt } = targets?.head ?? {};
    const aim =
      gaze && pan && tilt
        ? { pan: within(gaze.pan, pan.limits[1]), tilt: within(gaze.tilt, tilt.limits[1]) }
        : null;
    this.asked = { ...velocity, ...(aim ?? { pan: null, tilt: null }) };
    if (drive && targets?.tracks) {
      this.#isDriving = true;
      this.api.stream("tracks", velocity);
    }
    if (aim) this.api.stream("head", aim);
  }

  #stop() {
    if (!this.isEngaged) return;
    this.#stopTracks();
    this.isEngaged = false;
    this.#isHeadMoved = false;
    this.asked = { ...REST };
    this.askedAt = 0;
  }

  #stopTracks() {
    if (this.#isDriving && this.targets()?.tracks) this.api.command("tracks", "stop", {});
    this.#isDriving = false;
  }
}

/** A stick's place as angles: right is negative (REP 103). @param {number} x @param {number} y */
const toGaze = (x, y) => ({ pan: -x * MOST_PAN || 0, tilt: y * MOST_TILT });

/** @param {number} value @param {number} most */
const within = (value, most) => Math.min(most, Math.max(-most, value));
