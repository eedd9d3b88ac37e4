// Sound and what is kept: the talk button, levels that the robot measures, snapshot, recording.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { fixed } from "../../lib/format.js";
import { snapshot } from "./capture.js";

/** @typedef {import("../../context.js").With<"draw">} App */
/** @typedef {import("../../lib/control/remote-link.js").RemoteLink} RemoteLink */
/** @typedef {import("./capture.js").Recording} Recording */
/** @typedef {(app: App, work: () => Promise<unknown>) => void} Act */

const QUIET_DB = -60; // the left end of a meter
const PLACE_NAME = "Where you listen and speak";
const SPEAK_HINT = "Hold to speak through the robot's loudspeaker (key T)";

/** The button that is held to speak. @param {RemoteLink} link */
export function talkButton(link) {
  const { sound } = link;
  const report = link.report?.sound;
  if (!link.isOperator || !report || report.loudspeaker === "off") return nothing;
  /** @param {PointerEvent} event */
  const down = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    event.preventDefault();
    sound.press();
  };
  const release = () => sound.release();
  return html`<button
    class="button talk ${sound.isTalking ? "is-held" : ""}"
    type="button"
    title=${SPEAK_HINT}
    aria-pressed=${sound.isTalking}
    data-talk
    @pointerdown=${down}
    @pointerup=${release}
    @pointercancel=${release}
    @lostpointercapture=${release}
  >
    ${sound.isTalking ? "Speaking" : "Hold to talk"}
    ${meter("Your voice at the robot", report.loudspeaker_db, "voice")}
  </button>`;
}

/**
 * @param {App} app @param {RemoteLink} link @param {Recording} recording @param {Act} act
 */
export function captureButtons(app, link, recording, act) {
  const video = () => /** @type {HTMLVideoElement} */ (document.querySelector(".is-operate video"));
  const seconds = recording.isRunning ? (performance.now() - recording.beganAt) / 1000 : 0;
  return html`
    <button
      class="button small"
      type="button"
      data-snapshot
      ?disabled=${!link.pictures}
      @click=${() => act(app, () => snapshot(video()))}
    >
      Snapshot
    </button>
    <button
      class="button small ${recording.isRunning ? "is-recording" : ""}"
      type="button"
      data-record
      ?disabled=${!link.pictures && !recording.isRunning}
      @click=${() =>
        act(app, async () =>
          recording.isRunning
            ? recording.stop()
            : recording.start([link.pictures, link.sound.incoming]),
        )}
    >
      ${recording.isRunning ? html`Save (<b class="number">${fixed(seconds, 0)}</b> s)` : "Record"}
    </button>
    ${robotSound(link)} ${placeChoice(link)}
  `;
}

/** @param {RemoteLink} link */
function robotSound(link) {
  const report = link.report?.sound;
  if (!report || report.microphone === "off") return nothing;
  return html`<button
    class="button small"
    type="button"
    aria-pressed=${link.sound.isOn}
    data-sound
    @click=${() => link.sound.toggle()}
  >
    ${link.sound.isOn ? "Sound on" : "Sound off"}
    ${meter(`The robot's microphone: ${report.place}`, report.microphone_db, "microphone")}
  </button>`;
}

/** Where to listen and to speak, when there are several places. @param {RemoteLink} link */
function placeChoice(link) {
  const report = link.report?.sound;
  if (!report || report.places.length < 2) return nothing;
  const chosen = link.sound.place || report.place;
  return html`<select
    class="sound-place"
    aria-label=${PLACE_NAME}
    title=${PLACE_NAME}
    data-sound-place
    .value=${chosen}
    @change=${withValue((value) => link.sound.choose(value))}
  >
    ${report.places.map(
      (place) =>
        html`<option value=${place} ?selected=${place === chosen}>Sound: ${place}</option>`,
    )}
  </select>`;
}

/** Why no sound comes or goes. @param {RemoteLink} link */
export const soundProblem = (link) => link.sound.problem || link.report?.sound.problem || "";

/** @param {string} name @param {number | null} db @param {string} key */
function meter(name, db, key) {
  const share = db === null ? 0 : Math.min(1, Math.max(0, 1 - db / QUIET_DB));
  return html`<meter
    class="level"
    min="0"
    max="1"
    high="0.9"
    .value=${share}
    aria-label=${name}
    title=${name}
    data-level=${key}
    data-db=${db === null ? "" : fixed(db, 0)}
  ></meter>`;
}
