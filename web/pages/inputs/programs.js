// The tab "Autonomous": programs on the robot's bus that send inputs.

import { html } from "/vendor/lit-html/lit-html.js";
import { sources } from "./sources.js";

/** @typedef {import("../../context.js").With<"now" | "store">} App */

/** @param {App} app */
export function programs(app) {
  const list = app.store.data.inputs?.autonomous;
  if (!list) return html`<div class="card skeleton rc-wait"></div>`;
  return html`
    <section aria-labelledby="programs-title">
      <div class="section-head">
        <h2 id="programs-title">Programs</h2>
        <span class="quiet">${list.length === 1 ? "1 sends" : `${list.length} send`}</span>
      </div>
      ${list.length ? sources(app, "autonomous", list) : empty}
    </section>
  `;
}

const empty = html`
  <div class="card empty">
    <h3>No program sends inputs</h3>
    <p>
      ROS 2 nodes publish InputSample on <code>/saint/input/autonomous</code>, or drive the tracks
      with an ordinary Twist. What they send appears here, with its age.
    </p>
  </div>
`;
