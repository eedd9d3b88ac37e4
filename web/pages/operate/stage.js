// The picture, and on it the sticks, the keys and why something does not move.

import { Directive, directive } from "/vendor/lit-html/directive.js";
import { html, noChange, nothing } from "/vendor/lit-html/lit-html.js";
import { isDriveKey, isLookKey, SPEEDS } from "../../lib/control/drive-keys.js";
import { driveStick, lookStick } from "../../parts/sticks.js";
import { cameraSwitch } from "./control-bar.js";

/**
 * @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store" |
 *   "teleop">} App
 */
/** @typedef {import("../../lib/control/remote-link.js").RemoteLink} RemoteLink */
/** @typedef {import("./sound-bar.js").Act} Act */

const KEYS_LABEL =
  "Picture of the robot. While it has the focus, W, A, S, D or the arrows drive, I, J, K, L turn " +
  "the head, 1 to 4 set the speed";

/** @param {App} app @param {RemoteLink} link @param {Act} act */
export function stage(app, link, act) {
  const targets = app.robot?.targets;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isReady = link.isOperator && !isStopped;
  /** @param {KeyboardEvent} event */
  const down = (event) => {
    if (!isReady || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.code === "KeyT") link.sound.press();
    else if (event.code in SPEEDS) app.teleop.setShare(SPEEDS[event.code]);
    else if (isDriveKey(event.code) || isLookKey(event.code)) app.teleop.press(event);
    else return;
    event.preventDefault(); // arrows scroll
    app.draw();
  };
  /** @param {KeyboardEvent} event */
  const up = (event) => {
    if (event.code === "KeyT") link.sound.release();
    if (app.teleop.keys.delete(event.code)) app.draw();
  };
  return html`
    <div
      class="stage"
      role="application"
      tabindex="0"
      aria-label=${KEYS_LABEL}
      data-keys
      @keydown=${down}
      @keyup=${up}
      @blur=${() => (app.teleop.keys.clear(), link.sound.release(), app.draw())}
    >
      <video muted playsinline autoplay ${pictures(link)}></video>
      <audio autoplay .srcObject=${link.sound.incoming} .muted=${!link.sound.isOn}></audio>
      ${overlay(app, link, act)}
    </div>
    ${app.robot && !app.robot.base ? nothing : driveStick(app, isReady)}
    ${targets && !targets.head ? nothing : lookStick(app, isReady)}
  `;
}

/** Shows the stream of a link, set once: every setting begins the picture again. */
class Pictures extends Directive {
  /** @type {MediaStream | null} */ #shown = null;

  /** @param {[RemoteLink]} _link */
  render(..._link) {
    return noChange;
  }

  /**
   * @param {import("/vendor/lit-html/directive.js").ElementPart} part @param {[RemoteLink]} values
   */
  update(part, [link]) {
    const stream = link.pictures;
    if (stream === this.#shown) return noChange;
    const video = /** @type {HTMLVideoElement} */ (part.element);
    video.srcObject = this.#shown = stream;
    const note = () => {
      if (video.srcObject !== stream || !stream) return;
      link.pictureAt = performance.now();
      video.requestVideoFrameCallback(note);
    };
    video.requestVideoFrameCallback(note);
    return noChange;
  }
}

const pictures = directive(Pictures);

/** Say what is missing. @param {App} app @param {RemoteLink} link @param {Act} act */
function overlay(app, link, act) {
  if (link.state === "lost" || link.isReturning)
    return html`<p class="no-picture" role="alert" data-picture="lost">
      ${link.problem} It stops by itself.
      ${link.isReturning ? "Connecting again\u2026" : nothing}
    </p>`;
  if (link.hasPicture(app.now)) return html`<span data-picture="live"></span>`;
  const { head } = app.store.data;
  const isOff = Boolean(head) && !head?.camera_active;
  return html`<p class="no-picture" role="status" data-picture="none">
    ${isOff ? html`Camera off ${cameraSwitch(app, true, act)}` : "No picture from the camera"}
  </p>`;
}
