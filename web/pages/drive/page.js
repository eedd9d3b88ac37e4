// The page "Drive": two sticks, keys or a game pad, their command, and the camera picture. Pads and
// keys are read only while the page is shown.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { mayOperate, viewerNotice } from "../../lib/levels.js";
import { completeStep } from "../../lib/robot/first-steps.js";
import { absence } from "../../lib/robot/nodes.js";
import { driveStick, lookStick } from "../../parts/sticks.js";
import { camera } from "./camera.js";
import { keyboard } from "./keyboard.js";
import { latency } from "./latency.js";
import { gamePad } from "./pad.js";
import { status } from "./status.js";

/**
 * @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "stopKeys" |
 *   "store" | "teleop">} App
 */

/** @param {App} app */
function view(app) {
  const targets = app.robot?.targets;
  const base = app.robot?.base ?? "";
  if (targets && !base && !targets.head) {
    return html`
      <div class="page-head"><h1>Drive</h1></div>
      <div class="card empty">
        <h3>Nothing to drive</h3>
        <p>${
          targets.legs
            ? html`This robot walks: operate it on the page <a href="/operate">Remote</a>.`
            : "This robot has neither a base nor a head."
        }</p>
      </div>
    `;
  }
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  // What the robot has decides the layout: before that a stick may move away under a finger.
  const isReady = Boolean(targets) && app.api.state === "open" && !isStopped && mayOperate(app);
  latency.update(app);
  return html`
    <div class="page-head"><h1>Drive</h1></div>
    ${viewerNotice(app)}
    <div class="teleop" data-engaged=${app.teleop.isEngaged}>
      ${
        targets && !targets.head
          ? nothing
          : html`<section class="camera-part" aria-label="Camera">${camera(app)}</section>`
      }
      <section class="status-part" aria-label="Control and speed">
        ${[base, "head"]
          .filter((target) => targets?.[target])
          .map((target) => absentNotice(app, target))}
        ${status(app)}
      </section>
      ${targets && !base ? nothing : driveStick(app, isReady)}
      ${targets && !targets.head ? nothing : lookStick(app, isReady)} ${gamePad(app, isReady)}
      ${keyboard(app, isReady)}
    </div>
  `;
}

/**
 * Warn that a stick moves nothing, which it does not show.
 * @param {App} app
 * @param {string} target
 */
function absentNotice(app, target) {
  const away = absence(app, target);
  if (!away) return nothing;
  return html`<p class="notice" role="status" data-absent=${target}>
    <a href=${away.href}>${away.text}</a>, so its stick moves nothing.
  </p>`;
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { tracks: 50, wagon: 50, head: 10, outputs: 10, nodes: 0 },
  view,
  open(app) {
    completeStep("drive");
    app.teleop.gaze = () => ({
      pan: app.store.data.head?.pan ?? 0,
      tilt: app.store.data.head?.tilt ?? 0,
    });
    app.teleop.open();
    latency.start(app);
  },
  close(app) {
    app.teleop.close();
    latency.stop();
  },
};
