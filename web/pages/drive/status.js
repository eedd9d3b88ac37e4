// Who has control, what this page asks of the robot, what the robot does, how fast it may be, how
// long it takes.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { fixed, sourceName } from "../../lib/format.js";
import { bar } from "../../parts/bar.js";
import { latency } from "./latency.js";

/** @typedef {import("../../context.js").With<"api" | "now" | "robot" | "store" | "teleop">} App */
/** @typedef {import("../../lib/types.js").TracksState} TracksState */

const MOST_PAN = 90;
const MOST_TILT = 60;
const ANSWER_TIME =
  "From this page to the robot's server and back: the middle of the last 20 questions, " +
  "and the longest";
const MOVE_TIME =
  "From the first command to the tracks' own report that they turn: network, router, motors, " +
  "and up to 20 ms until the report comes";

/** @param {App} app */
export function status(app) {
  const { asked, isEngaged } = app.teleop;
  const targets = app.robot?.targets;
  const { tracks } = app.store.data;
  const who = control(app);
  return html`
    <div class="card status-card">
      <p class="status-line">
        <span
          class="chip ${who.look}"
          role="status"
          data-state=${isEngaged ? "driving" : "resting"}
          data-control=${who.name}
        >
          <i class="dot"></i>${who.text}
        </span>
        <span class="quiet" ?data-stale=${!app.store.isFresh("tracks", app.now)}>
          ${tracks ? motion(tracks) : nothing}
        </span>
      </p>
      <div class="asked">
        ${isEngaged ? html`<small class="quiet" data-asks>This page asks for</small>` : nothing}
        ${
          targets && !targets.tracks
            ? nothing
            : html`${row("Ahead", asked.linear, targets?.tracks?.linear?.limits[1] ?? 1, "m/s")}
            ${row("Turn", asked.angular, targets?.tracks?.angular?.limits[1] ?? 1, "rad/s")}`
        }
        ${
          asked.pan === null
            ? nothing
            : html`${row("Pan", asked.pan, MOST_PAN, "°")}
            ${row("Tilt", asked.tilt ?? 0, MOST_TILT, "°")}`
        }
      </div>
      ${speedLimit(app)} ${delays(app)}
    </div>
  `;
}

/**
 * Who moves the robot now, as the router reports: asking is not having control.
 * @param {App} app
 * @returns {{name: "ours" | "other" | "none" | "unknown", look: string, text: string}}
 */
function control(app) {
  const { asked, isEngaged } = app.teleop;
  const target = asked.pan !== null && !asked.linear && !asked.angular ? "head" : "tracks";
  const rows = (app.store.data.outputs?.fields ?? []).filter((each) => each.target === target);
  const live = rows.filter((each) => each.policy === "live");
  const own = `websocket:${app.api.session.client_id}`;
  const other = live.find((each) => each.source !== own);
  if (!app.store.isFresh("outputs", app.now) || !rows.length) {
    const text = isEngaged ? "Asking; who has control is not known" : "At rest";
    return { name: "unknown", look: isEngaged ? "warn" : "idle", text };
  }
  if (other)
    return {
      name: "other",
      look: isEngaged ? "warn" : "idle",
      text: `${sourceName(other.source)} has control`,
    };
  if (!isEngaged) return { name: "none", look: "idle", text: "At rest" };
  if (live.length) return { name: "ours", look: "good", text: "Driving" };
  return { name: "none", look: "warn", text: "Asking, without control" };
}

const STILL_MPS = 0.01;

/**
 * What the tracks themselves report.
 * @param {TracksState} tracks
 */
function motion(tracks) {
  const { left_velocity: left, right_velocity: right } = tracks;
  if (typeof left !== "number" || typeof right !== "number")
    return html`Robot: <span data-motion>speed unknown</span>`;
  const speed = (left + right) / 2;
  let word = "standing still";
  if (Math.abs(speed) > STILL_MPS) word = speed > 0 ? "driving ahead" : "reversing";
  else if (Math.abs(left - right) > STILL_MPS) word = "turning";
  return html`Robot: <span data-motion>${word}</span>,
    <span class="number" data-speed>${fixed(speed, 2)}</span> m/s`;
}

/** @param {string} name @param {number} value @param {number} most @param {string} unit */
const row = (name, value, most, unit) => html`
  <div class="asked-row">
    <span>${name}</span>
    <span class="track both"><i ${bar(value, -most, most)}></i></span>
    <span class="number">${fixed(value, unit === "°" ? 0 : 2)}
    <small class="quiet">${unit}</small></span>
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
      @input=${withValue((value) => app.teleop.setShare(Number(value) / 100))}
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
      <div title=${ANSWER_TIME}>
        <dt>Network, there and back</dt>
        <dd data-answer>
          ${
            answerMs === null || app.api.state !== "open"
              ? "–"
              : html`${fixed(answerMs, 0)} ms <small>longest ${fixed(worstMs, 0)}</small>`
          }
        </dd>
      </div>
      <div title=${MOVE_TIME}>
        <dt>Command to movement</dt>
        <dd data-move>
          ${
            moveMs === null
              ? html`<small>measured when you drive off</small>`
              : `${fixed(moveMs, 0)} ms`
          }
        </dd>
      </div>
    </dl>
    ${
      isSlow
        ? html`
          <p class="slow" role="status">
            The network is slow: drive slowly, the robot reacts late.
          </p>
        `
        : nothing
    }
  `;
}
