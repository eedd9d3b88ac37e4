// The wagon from its left side, turned by its pitch, between the two angles at which its motors are
// switched off.

import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../lib/format.js";

/** @typedef {import("./state.js").Wagon} Wagon */

const LIMIT_DEG = 25; // lib/wagon/meanings.py
const NEAR_DEG = 18;

/** @param {Wagon} wagon */
export function attitude({ pitch = null }) {
  const tilt = Math.abs(pitch ?? 0);
  const look = tilt > LIMIT_DEG ? "bad" : tilt > NEAR_DEG ? "warn" : "good";
  return html`
    <section class="card base-attitude" aria-labelledby="attitude-title">
      <header>
        <h2 id="attitude-title">Attitude</h2>
        <span class="chip ${pitch === null ? "idle" : look}">
          ${
            pitch === null
              ? "Not reported"
              : html`<span data-pitch class="number">${fixed(pitch, 1)}°</span> of ±${LIMIT_DEG}°`
          }
        </span>
      </header>
      <svg viewBox="-100 -62 200 104" role="img" aria-label=${said(pitch)}>
        ${[-LIMIT_DEG, LIMIT_DEG].map(
          (limit) => svg`
          <line class="limit" x1="-92" x2="92" transform="rotate(${limit})"/>
        `,
        )}
        <line class="ground" x1="-96" x2="96" y1="0" y2="0"/>
        ${pitch === null ? nothing : body(pitch, look)}
      </svg>
      <small class="quiet">The arrow points forward; nose down is positive.</small>
    </section>
  `;
}

/** @param {number | null} pitch */
const said = (pitch) =>
  pitch === null ? "The pitch is not reported" : `Pitch ${fixed(pitch, 0)} degrees`;

/** @param {number} degrees @param {string} look */
const body = (degrees, look) => svg`
  <g class="body ${look}" transform="rotate(${degrees})">
    <rect x="-44" y="-26" width="88" height="16" rx="3"/>
    <rect x="-12" y="-50" width="34" height="7" rx="2"/>
    <path d="M2-43v17M14-43v17"/>
    <circle cx="-32" cy="-9" r="9"/>
    <circle cx="32" cy="-9" r="9"/>
    <path d="m52-18 10 0m-4-4 4 4-4 4"/>
  </g>
`;
