// Sources that send plain values: who, how often, how old, and every value live.

import { html } from "/vendor/lit-html/lit-html.js";
import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { bar } from "../../lib/bar.js";
import { fixed, words } from "../../lib/format.js";
import { reading, seen } from "../../lib/live.js";
import { STALE_MS } from "../../lib/store.js";

/** @typedef {import("../../app.js").App} App */

/** @param {App} app @param {"websocket" | "autonomous"} kind @param {any[]} list */
export const sources = (app, kind, list) => html`
  <div class="source-grid">
    ${repeat(
      list,
      (each) => each.subject,
      (each) => source(app, kind, each),
    )}
  </div>
`;

/** @param {App} app @param {string} kind @param {any} data */
function source(app, kind, data) {
  const age = app.store.sourceAge(`${kind}:${data.subject}`, app.now);
  const isStale = age > STALE_MS;
  const [tone, word] = isStale ? ["idle", "Silent"] : data.failsafe ? ["bad", "Signal lost"] : ["good", "Live"];
  return html`
    <article class="card plain-source" data-source=${`${kind}:${data.subject}`} ?data-stale=${isStale}>
      <header>
        <h3>${data.subject}</h3>
        <span class="chip ${tone}"><i class="dot"></i>${word}</span>
      </header>
      <p class="quiet">${isStale ? `Last heard ${fixed(age / 1000, 1)} s ago` : `${fixed(data.rate_hz, 0)} per second, ${fixed(age, 0)} ms old`}</p>
      <ul>
        ${seen(() => Object.entries(data.values).map(([name, value]) => row(`${kind} ${data.subject}`, name, value)))}
      </ul>
    </article>
  `;
}

/** @param {string} source @param {string} name @param {number | null} value */
const row = (source, name, value) => html`
  <li>
    <span class="name">${words(name)}</span>
    <span class="track both"><i ${reaching(`${source} ${name}`, value)}></i></span>
    <span class="number">${reading(fixed(value, 2))}</span>
  </li>
`;

/** The largest that each value ever was: nobody says what a program's values may be. @type {Map<string, number>} */
const largest = new Map();

/** @param {string} key @param {number | null} value */
function reaching(key, value) {
  const most = Math.max(1, largest.get(key) ?? 0, Math.abs(value ?? 0));
  largest.set(key, most);
  return bar(value, -most, most);
}
