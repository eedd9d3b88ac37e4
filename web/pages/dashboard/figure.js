// A drawing of the robot's pose, from the states that the nodes report and not from commands.

import { html, svg } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../lib/format.js";
import { reading } from "../../parts/live.js";

/** @typedef {import("../../context.js").With<"now" | "store">} App */
/** @typedef {import("../../lib/types.js").HeadState} HeadState */

/** @param {App} app */
export function figure(app) {
  const head = app.store.data.head;
  const tracks = app.store.data.tracks;
  const isHeadStale = !app.store.isFresh("head", app.now);
  const areTracksStale = !app.store.isFresh("tracks", app.now);
  return html`
    <section class="figure card" aria-label="Pose of the robot">
      <svg viewBox="0 0 240 190" role="img" aria-label="The robot's pose">
        <ellipse class="shadow" cx="120" cy="178" rx="84" ry="7"/>
        <g class="body" ?data-stale=${areTracksStale}>
          ${track(34, tracks?.left_velocity)} ${track(184, tracks?.right_velocity)}
          <path class="shell" d="M72 112q0-14 14-14h68q14 0 14 14v40q0 12-12 12H84q-12 0-12-12Z"/>
          <circle class="heart" cx="120" cy="130" r="6"/>
          <rect class="shell" x="110" y="84" width="20" height="16"/>
        </g>
        <g class="head" ?data-stale=${isHeadStale}>${skull(head)}</g>
      </svg>
      <dl class="pose">
        ${fact("Pan", head?.pan, "°", 0, isHeadStale)}
        ${fact("Tilt", head?.tilt, "°", 0, isHeadStale)}
        ${fact("Roll", head?.roll, "°", 0, isHeadStale)}
        ${fact("Left", tracks?.left_velocity, " m/s", 2, areTracksStale)}
        ${fact("Right", tracks?.right_velocity, " m/s", 2, areTracksStale)}
      </dl>
    </section>
  `;
}

/**
 * @param {string} name
 * @param {number | null | undefined} value
 * @param {string} unit
 * @param {number} digits
 * @param {boolean} isStale
 */
const fact = (name, value, unit, digits, isStale) => html`
  <div ?data-stale=${isStale}>
    <dt>${name}</dt><dd>${reading(fixed(value, digits) + (value === undefined ? "" : unit))}</dd>
  </div>
`;

/**
 * Draw the head from the front: left is positive, and the robot's left is the viewer's right.
 * @param {HeadState | undefined} head
 */
function skull(head) {
  const pan = Math.sin(((head?.pan ?? 0) * Math.PI) / 180) * 14;
  const tilt = Math.sin(((head?.tilt ?? 0) * Math.PI) / 180) * -12;
  const eyeX = pan + ((head?.eye_pan ?? 0) / 35) * 4;
  const eyeY = tilt + ((head?.eye_tilt ?? 0) / 25) * -3;
  const jaw = (head?.jaw ?? 0) * 9;
  return svg`
    <g transform="rotate(${head?.roll ?? 0} 120 78)">
      <ellipse class="halo" cx="${120 + pan * 0.5}" cy="${16 + tilt * 0.3}" rx="34" ry="7"/>
      <rect class="skull" x="74" y="28" width="92" height="58" rx="20"/>
      <g transform="translate(${pan} ${tilt})">
        <rect class="visor" x="86" y="40" width="68" height="22" rx="11"/>
        <rect class="mouth" x="106" y="70" width="28" height="${2.5 + jaw}" rx="1.25"/>
      </g>
      <g transform="translate(${eyeX} ${eyeY})">
        <circle class="eye" cx="104" cy="51" r="5.5"/>
        <circle class="eye" cx="136" cy="51" r="5.5"/>
      </g>
    </g>`;
}

/** @param {number} x @param {number | null | undefined} speed */
function track(x, speed) {
  const length = Math.min(1, Math.abs(speed ?? 0) / 1.5) * 30;
  const up = (speed ?? 0) >= 0;
  return svg`
    <rect class="tread" x="${x}" y="104" width="22" height="72" rx="11"/>
    <rect
      class="push"
      x="${x + 8}"
      y="${up ? 140 - length : 140}"
      width="6"
      height="${length}"
      rx="3"
    />`;
}
