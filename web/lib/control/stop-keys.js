// The emergency stop by key and by game pad, on every page. Which ones, each browser remembers.
// Space stops unless it has something else to do: in a text field it is a letter, and it operates
// the control that a person reached by keyboard. A control that was merely clicked does not keep
// it, or a stop meant in a hurry would press that once more; nor does one that moves the robot
// ([data-moves]). Escape, where it is chosen, stops always, also in fields and dialogs. Neither
// ever releases a stop. Not here: the stop itself (views/estop.js).

import { prefer, preference } from "../preferences.js";
import { gamepads } from "./gamepads.js";

const LOOK_MS = 40; // a press is shorter than 100 ms only by accident

/** @typedef {"space" | "escape" | "both" | "none"} StopKey */
/** @type {readonly StopKey[]} */
export const STOP_KEYS = ["space", "escape", "both", "none"];
/** Buttons of the standard layout, "none" or an index. */
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
  #isPadHeld = true; // until it was seen released
  #timer = 0;

  /** @param {() => void} stop */
  constructor(stop) {
    this.stop = stop;
  }

  /** Listen from now on. */
  start() {
    addEventListener("pointerdown", () => (this.#isByKeyboard = false), true);
    addEventListener("keydown", (event) => this.#pressed(event), true);
    addEventListener("gamepadconnected", () => this.#watchPads());
    addEventListener("gamepaddisconnected", () => this.#watchPads());
    this.#watchPads();
  }

  /** Pads tell nothing by themselves: they are looked at as long as there are any. */
  #watchPads() {
    clearInterval(this.#timer);
    // the press that made the browser show the pad counts; one that was unplugged is released
    this.#look();
    if (gamepads().length) this.#timer = setInterval(() => this.#look(), LOOK_MS);
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

  /** As it stands on the button; empty when no key stops. */
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
    if (isSpace) event.preventDefault(); // it would scroll, or press what was clicked last
    this.stop();
  }

  /** Whether Space means nothing else here. @param {EventTarget | null} target */
  #isFree(target) {
    if (!(target instanceof Element)) return true;
    if (target.closest(TEXT)) return false;
    if (target.closest("[data-moves]")) return true;
    return !(this.#isByKeyboard && target.closest(CONTROLS));
  }

  #look() {
    const isHeld =
      this.padButton !== "none" &&
      gamepads().some((pad) => pad.buttons[Number(this.padButton)]?.pressed);
    if (isHeld && !this.#isPadHeld) this.stop();
    this.#isPadHeld = isHeld;
  }
}
