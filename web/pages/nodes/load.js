// The card with load and temperature of a node, now and over the last minutes.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { duration, fixed } from "../../lib/format.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../lib/types.js").NodeHistory} NodeHistory */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */

const WIDTH = 240;
const HEIGHT = 40;

/** @param {NodeInfo} node @param {NodeHistory | null} history */
export function loadCard(node, history) {
  return html`
    <section class="card" aria-labelledby="load-title">
      <h2 id="load-title">Load</h2>
      <div class="loads">
        ${gauge("CPU", node.cpu_usage, history?.cpu, 100, "%", 85)}
        ${gauge("Memory", node.memory_usage, history?.memory, 100, "%", 90)}
        ${
          node.cpu_temp
            ? gauge("Temperature", node.cpu_temp, history?.temp, 90, "°C", 75)
            : html`<p class="quiet">No temperature sensor.</p>`
        }
      </div>
      <p class="quiet">${span(history)}</p>
    </section>
  `;
}

/** @param {NodeHistory | null} history */
function span(history) {
  const count = history?.cpu?.length ?? 0;
  if (!history || count < 2) return "No history yet.";
  return `Last ${duration((count - 1) * history.period_s)}`;
}

/**
 * @param {string} name @param {number} value @param {(number | null)[] | undefined} past
 * @param {number} most @param {string} unit @param {number} high
 */
const gauge = (name, value, past, most, unit, high) => html`
  <div class="gauge ${value >= high ? "is-high" : ""}">
    <h3>${name}</h3>
    <b class="number">${fixed(value, 0)}
    ${unit}${value >= high ? html` <span>high</span>` : nothing}</b>
    <span class="track thin"><i ${bar(value, 0, most)}></i></span>
    ${
      past && past.length > 1
        ? line(name, past, most, unit)
        : html`<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true"></svg>`
    }
  </div>
`;

/**
 * @param {string} name
 * @param {(number | null)[]} past
 * @param {number} most
 * @param {string} unit
 */
function line(name, past, most, unit) {
  const known = past.filter((value) => value !== null);
  const words = known.length
    ? `${name}: from ${fixed(Math.min(...known), 0)} to ${fixed(Math.max(...known), 0)} ${unit}`
    : `${name}: no data`;
  return html`
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${words}>
      <path d=${path(past, most)} />
    </svg>
  `;
}

/**
 * Draw a line with gaps where data is missing.
 * @param {(number | null)[]} past
 * @param {number} most
 */
function path(past, most) {
  const step = WIDTH / Math.max(1, past.length - 1);
  let isDown = false;
  const parts = past.map((value, index) => {
    if (value === null) {
      isDown = false;
      return "";
    }
    const y = HEIGHT - 1 - Math.min(1, Math.max(0, value / most)) * (HEIGHT - 2);
    const sign = isDown ? "L" : "M";
    isDown = true;
    return `${sign}${(index * step).toFixed(1)} ${y.toFixed(1)}`;
  });
  return parts.join("");
}
