// Driving by game pad or by the stick on the screen: who holds it, what is asked for, when it is let
// go. Nothing is sent unless something is held; whatever takes the page away from the hand lets go,
// and then it must be released before it counts again. No drawing.

import { gamepads, isDeadmanHeld, sticks } from "./gamepads.js";

/** @typedef {import("./api.js").Api} Api */

const PERIOD_MS = 20; // 50 samples a second; the router lets go of a client after 300 ms

export class Teleop {
  /** Share of the top speed at full deflection. */
  share = 0.25;
  /** The stick on the screen: right and up are positive. */
  stick = { x: 0, y: 0, isHeld: false };
  /** The dead-man button on the screen, for pads without shoulder buttons. */
  isButtonHeld = false;
  isEngaged = false;
  /** What is asked for now. */
  asked = { linear: 0, angular: 0 };
  /** @type {Gamepad | null} */ pad = null;
  /** Index of the pad that the person chose; the first one when it is gone. */
  chosen = 0;
  #mustRelease = false;
  #isHeadMoved = false;
  #padKey = "";
  #timer = 0;

  /**
   * @param {Api} api
   * @param {() => any} targets fields of the robot by target, null while they are not known
   * @param {() => boolean} mayDrive false: no connection, e-stop
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
    this.isButtonHeld = false;
  }

  /** Stop, and do not start again before everything was released. */
  letGo() {
    this.#stop();
    this.#mustRelease = true;
  }

  #tick() {
    this.#look();
    const isHeld = this.stick.isHeld || this.isButtonHeld || (this.pad !== null && isDeadmanHeld(this.pad));
    if (!isHeld) this.#mustRelease = false;
    const hasSource = this.stick.isHeld || this.pad !== null;
    if (isHeld && hasSource && !this.#mustRelease && this.mayDrive()) this.#send();
    else if (this.isEngaged && isHeld) this.letGo();
    else this.#stop();
    this.changed();
  }

  /** Pads are read anew each time: what getGamepads gave is a picture. */
  #look() {
    const pads = gamepads();
    this.pad = pads.find((pad) => pad.index === this.chosen) ?? pads[0] ?? null;
    const key = this.pad ? `${this.pad.index} ${this.pad.id}` : "";
    if (key !== this.#padKey) {
      this.#padKey = key;
      this.letGo();
    }
  }

  #send() {
    const targets = this.targets();
    const hand = this.pad && !this.stick.isHeld ? sticks(this.pad) : { ...this.stick, turnX: 0, turnY: 0 };
    const { linear, angular } = targets?.tracks ?? {};
    this.asked = {
      linear: hand.y * this.share * (linear?.limits[1] ?? 0),
      angular: -hand.x * this.share * (angular?.limits[1] ?? 0), // left is positive
    };
    this.isEngaged = true;
    if (targets?.tracks) this.api.stream("tracks", this.asked);
    // The head follows the face until somebody moves the right stick.
    this.#isHeadMoved ||= hand.turnX !== 0 || hand.turnY !== 0;
    const { pan, tilt } = targets?.head ?? {};
    if (this.#isHeadMoved && pan && tilt) {
      this.api.stream("head", {
        pan: -hand.turnX * Math.min(pan.limits[1], 90),
        tilt: hand.turnY * Math.min(tilt.limits[1], 60),
      });
    }
  }

  #stop() {
    if (!this.isEngaged) return;
    if (this.targets()?.tracks) this.api.command("tracks", "stop", {});
    this.isEngaged = false;
    this.#isHeadMoved = false;
    this.asked = { linear: 0, angular: 0 };
  }
}
