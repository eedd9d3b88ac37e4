// Cards of sources that send plain values, with rate, age and live values; and the tab "Autonomous"
// with the programs on the robot's bus.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html } from "/vendor/lit-html/lit-html.js";
import { fixed, words } from "../../lib/format.js";
import { STALE_MS } from "../../lib/store.js";
import { gauges } from "../../parts/gauges.js";

/** @typedef {import("../../context.js").With<"now" | "store">} App */
/** @typedef {import("../../lib/types.js").NamedSource} NamedSource */

/** @param {App} app @param {"websocket" | "autonomous"} kind @param {NamedSource[]} list */
export const sources = (app, kind, list) => html`
  <div class="source-grid">
    ${repeat(
      list,
      (each) => each.subject,
      (each) => source(app, kind, each),
    )}
  </div>
`;

/** @param {App} app @param {string} kind @param {NamedSource} data */
function source(app, kind, data) {
  const age = app.store.sourceAge(`${kind}:${data.subject}`, app.now);
  const isStale = age > STALE_MS;
  const [tone, word] = isStale
    ? ["idle", "Timed out"]
    : data.failsafe
      ? ["bad", "Signal lost"]
      : ["good", "Live"];
  return html`
    <article
      class="card plain-source"
      data-source=${`${kind}:${data.subject}`}
      ?data-stale=${isStale}
    >
      <header>
        <h3>${data.subject}</h3>
        <span class="chip ${tone}"><i class="dot"></i>${word}</span>
      </header>
      <p class="quiet">
        ${
          isStale
            ? `Last sample ${fixed(age / 1000, 1)} s ago`
            : `${fixed(data.rate_hz, 0)} samples/s, ${fixed(age, 0)} ms old`
        }
      </p>
      ${gauges(() =>
        Object.entries(data.values).map(([key, value]) =>
          gauge(`${kind} ${data.subject}`, key, value),
        ),
      )}
    </article>
  `;
}

/**
 * Largest magnitude of each value so far, because the range of a program's values is unknown.
 * @type {Map<string, number>}
 */
const largest = new Map();

/** @param {string} source @param {string} key @param {number | null} value */
function gauge(source, key, value) {
  const known = `${source} ${key}`;
  const most = Math.max(1, largest.get(known) ?? 0, Math.abs(value ?? 0));
  largest.set(known, most);
  return { key, name: words(key), value, low: -most, high: most };
}

/** @param {App} app */
export function programs(app) {
  const list = app.store.data.inputs?.autonomous;
  if (!list) return html`<div class="card skeleton rc-wait"></div>`;
  return html`
    <section aria-labelledby="programs-title">
      <div class="section-head">
        <h2 id="programs-title">Programs</h2>
        <span class="quiet">${list.length === 1 ? "1 program" : `${list.length} programs`}</span>
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
      with a Twist. Their values appear here.
    </p>
  </div>
`;
