// The emergency stop by key and by game pad, on every page; each browser stores its choice. Space
// stops except in a text field, where it types a space, and on a control that was reached by
// keyboard, which it operates. It stops on a control that was clicked, or a stop in a hurry would
// press that control again, and on one that moves the robot ([data-moves]). Escape, if chosen,
// always stops, also in fields and dialogs. Neither clears a stop. Not here: the stop itself
// (views/estop.js).

import { prefer, preference } from "../preferences.js";
import { gamepads } from "./gamepads.js";

const POLL_MS = 40; // a deliberate press lasts 100 ms or more

/** @typedef {"space" | "escape" | "both" | "none"} StopKey */
/** @type {readonly StopKey[]} */
export const STOP_KEYS = ["space", "escape", "both", "none"];
/** Titles by index of the button in the standard layout, or "none". */
export const PAD_BUTTONS = {
  1: "B or circle",
  2: "X or square",
  8: "Back or Share",
  9: "Start or Options",
  none: "None",
};

const TEXT =
  'input:not([type="checkbox"], [type="radio"], [type="range"], [type="button"]), textarea, ' +
  "select, [contenteditable]";
const CONTROLS =
  'button, input, select, summary, a[href], [role="button"], [role="switch"], [role="tab"], ' +
  '[role="slider"]';

export class StopKeys {
  /** @type {StopKey} */ key = preference("stop-key", "space", STOP_KEYS);
  padButton = preference("stop-pad-button", "1", Object.keys(PAD_BUTTONS));
  #isByKeyboard = false;
  #isPadHeld = true; // until it is released for the first time
  #timer = 0;

  /** @param {() => void} stop */
  constructor(stop) {
    this.stop = stop;
  }

  /** Listen for keys and game pads. */
  start() {
    addEventListener("pointerdown", () => (this.#isByKeyboard = false), true);
    addEventListener("keydown", (event) => this.#pressed(event), true);
    addEventListener("gamepadconnected", () => this.#watchPads());
    addEventListener("gamepaddisconnected", () => this.#watchPads());
    this.#watchPads();
  }

  /** Poll game pads while any is connected, because they send no events. */
  #watchPads() {
    clearInterval(this.#timer);
    // the press that makes the browser report the pad counts; an unplugged pad is released
    this.#pollPads();
    if (gamepads().length) this.#timer = setInterval(() => this.#pollPads(), POLL_MS);
  }

  /** @param {StopKey} key */
  chooseKey(key) {
    this.key = key;
    prefer("stop-key", key);
  }

  /** @param {string} button */
  choosePadButton(button) {
    this.padButton = button;
    prefer("stop-pad-button", button);
  }

  /** Key name on the stop button; empty if no key stops. */
  get label() {
    return { space: "Space", escape: "Esc", both: "Space, Esc", none: "" }[this.key];
  }

  /** @param {KeyboardEvent} event */
  #pressed(event) {
    if (event.key === "Tab" || event.key.startsWith("Arrow")) this.#isByKeyboard = true;
    if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
    const isEscape = event.key === "Escape" && (this.key === "escape" || this.key === "both");
    const isSpace = event.code === "Space" && (this.key === "space" || this.key === "both");
    if (!isEscape && !(isSpace && this.#isFree(event.target))) return;
    if (isSpace) event.preventDefault(); // would scroll, or press the control clicked last
    this.stop();
  }

  /** Whether Space stops at this element. @param {EventTarget | null} target */
  #isFree(target) {
    if (!(target instanceof Element)) return true;
    if (target.closest(TEXT)) return false;
    if (target.closest("[data-moves]")) return true;
    return !(this.#isByKeyboard && target.closest(CONTROLS));
  }

  #pollPads() {
    const isHeld =
      this.padButton !== "none" &&
      gamepads().some((pad) => pad.buttons[Number(this.padButton)]?.pressed);
    if (isHeld && !this.#isPadHeld) this.stop();
    this.#isPadHeld = isHeld;
  }
}
