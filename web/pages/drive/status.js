// The status card: who has control, this page's command, the measured motion, top speed, latency.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { fixed, sourceName } from "../../lib/format.js";
import { baseMotion, baseTarget, isBaseFresh } from "../../lib/robot/base.js";
import { bar } from "../../parts/bar.js";
import { latency } from "./latency.js";

/** @typedef {import("../../context.js").With<"api" | "now" | "robot" | "store" | "teleop">} App */

const MOST_PAN = 90;
const MOST_TILT = 60;
const ROUND_TRIP_HINT =
  "From this page to the robot's server and back: median and longest of the last 20 requests";
const MOVE_HINT =
  "From the first command until the base reports motion: network, router and motors, " +
  "plus up to 20 ms for the report";

/** @param {App} app */
export function status(app) {
  const { command, isEngaged } = app.teleop;
  const targets = app.robot?.targets;
  const base = baseTarget(app);
  const fields = targets?.[base];
  const moving = baseMotion(app);
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
        <span class="quiet" ?data-stale=${!isBaseFresh(app)}>
          ${moving ? motion(moving) : nothing}
        </span>
      </p>
      <div class="asked">
        ${
          isEngaged
            ? html`<small class="quiet" data-command>Command from this page</small>`
            : nothing
        }
        ${
          targets && !base
            ? nothing
            : html`${row("Forward", command.linear, fields?.linear?.limits[1] ?? 1, "m/s")}
            ${row("Turn", command.angular, fields?.angular?.limits[1] ?? 1, "rad/s")}`
        }
        ${
          command.pan === null
            ? nothing
            : html`${row("Pan", command.pan, MOST_PAN, "°")}
            ${row("Tilt", command.tilt ?? 0, MOST_TILT, "°")}`
        }
      </div>
      ${speedLimit(app)} ${delays(app)}
    </div>
  `;
}

/**
 * Return who has control as the router reports it; sending commands alone is not control.
 * @param {App} app
 * @returns {{name: "ours" | "other" | "none" | "unknown", look: string, text: string}}
 */
function control(app) {
  const { command, isEngaged } = app.teleop;
  const isLooking = command.pan !== null && !command.linear && !command.angular;
  const target = isLooking ? "head" : baseTarget(app);
  const rows = (app.store.data.outputs?.fields ?? []).filter((each) => each.target === target);
  const live = rows.filter((each) => each.policy === "live");
  const own = `websocket:${app.api.session.client_id}`;
  const other = live.find((each) => each.source !== own);
  if (!app.store.isFresh("outputs", app.now) || !rows.length) {
    const text = isEngaged ? "Sending commands; control unknown" : "At rest";
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
  return { name: "none", look: "warn", text: "Sending commands without control" };
}

const STILL_MPS = 0.01;

/**
 * Describe the motion that the base reports.
 * @param {NonNullable<ReturnType<typeof baseMotion>>} found
 */
function motion({ speed, turn }) {
  if (speed === null) return html`Robot: <span data-motion>speed unknown</span>`;
  let word = "standing still";
  if (Math.abs(speed) > STILL_MPS) word = speed > 0 ? "driving forward" : "driving backward";
  else if (Math.abs(turn ?? 0) > STILL_MPS) word = "turning";
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
    <small class="quiet">An RC transmitter overrides this page.</small>
  </label>
`;

/** @param {App} app */
function delays(app) {
  const { roundTripMs, worstMs, moveMs } = latency;
  const isSlow = worstMs !== null && worstMs > 150;
  return html`
    <dl class="delays">
      <div title=${ROUND_TRIP_HINT}>
        <dt>Network round trip</dt>
        <dd data-answer>
          ${
            roundTripMs === null || app.api.state !== "open"
              ? "–"
              : html`${fixed(roundTripMs, 0)} ms <small>longest ${fixed(worstMs, 0)} ms</small>`
          }
        </dd>
      </div>
      <div title=${MOVE_HINT}>
        <dt>Command to motion</dt>
        <dd data-move>
          ${
            moveMs === null
              ? html`<small>measured when you drive</small>`
              : `${fixed(moveMs, 0)} ms`
          }
        </dd>
      </div>
    </dl>
    ${
      isSlow
        ? html`
          <p class="slow" role="status">
            The network is slow (over 150 ms), so the robot reacts late: drive slowly.
          </p>
        `
        : nothing
    }
  `;
}
