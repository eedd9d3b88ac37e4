// What this page asks of the robot, what the robot does, how fast it may be, how long it takes.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { bar } from "../../lib/bar.js";
import { fixed } from "../../lib/format.js";
import { latency } from "./latency.js";

/** @typedef {import("../../app.js").App} App */

const MOST_PAN = 90;
const MOST_TILT = 60;

/** @param {App} app */
export function status(app) {
  const { asked, isEngaged } = app.teleop;
  const targets = app.robot?.targets;
  const { tracks } = app.store.data;
  const speed = tracks ? (tracks.left_velocity + tracks.right_velocity) / 2 : null;
  return html`
    <div class="card status-card">
      <p class="status-line">
        <span class="chip ${isEngaged ? "good" : "idle"}" role="status" data-state=${isEngaged ? "driving" : "resting"}>
          <i class="dot"></i>${isEngaged ? "Driving" : "At rest"}
        </span>
        <span class="quiet" ?data-stale=${!app.store.isFresh("tracks", app.now)}>
          ${speed === null ? nothing : html`Robot: <span class="number" data-speed>${fixed(speed, 2)}</span> m/s`}
        </span>
      </p>
      <div class="asked">
        ${targets && !targets.tracks
          ? nothing
          : html`${row("Ahead", asked.linear, targets?.tracks?.linear?.limits[1] ?? 1, "m/s")}
            ${row("Turn", asked.angular, targets?.tracks?.angular?.limits[1] ?? 1, "rad/s")}`}
        ${asked.pan === null
          ? nothing
          : html`${row("Pan", asked.pan, MOST_PAN, "°")} ${row("Tilt", asked.tilt ?? 0, MOST_TILT, "°")}`}
      </div>
      ${speedLimit(app)} ${delays(app)}
    </div>
  `;
}

/** @param {string} name @param {number} value @param {number} most @param {string} unit */
const row = (name, value, most, unit) => html`
  <div class="asked-row">
    <span>${name}</span>
    <span class="track both"><i ${bar(value, -most, most)}></i></span>
    <span class="number">${fixed(value, unit === "°" ? 0 : 2)} <small class="quiet">${unit}</small></span>
  </div>
`;

/** @param {App} app */
const speedLimit = (app) => html`
  <label class="slider">
    <span>Top speed <b data-share>${Math.round(app.teleop.share * 100)} %</b></span>
    <input
      type="range"
      min="5"
      max="100"
      step="5"
      .value=${String(Math.round(app.teleop.share * 100))}
      @input=${(/** @type {any} */ event) => app.teleop.setShare(event.target.value / 100)}
    >
    <small class="quiet">An RC transmitter always wins over this page.</small>
  </label>
`;

/** @param {App} app */
function delays(app) {
  const { answerMs, worstMs, moveMs } = latency;
  const isSlow = worstMs !== null && worstMs > 150;
  return html`
    <dl class="delays">
      <div title="From this page to the robot's server and back: the middle of the last 20 questions, and the longest">
        <dt>Network, there and back</dt>
        <dd data-answer>${answerMs === null || app.api.state !== "open" ? "–" : html`${fixed(answerMs, 0)} ms <small>longest ${fixed(worstMs, 0)}</small>`}</dd>
      </div>
      <div title="From the first command to the tracks' own report that they turn: network, router, motors, and up to 20 ms until the report comes">
        <dt>Command to movement</dt>
        <dd data-move>${moveMs === null ? html`<small>measured when you drive off</small>` : `${fixed(moveMs, 0)} ms`}</dd>
      </div>
    </dl>
    ${isSlow ? html`<p class="slow" role="status">The network is slow: drive slowly, the robot reacts late.</p>` : nothing}
  `;
}
