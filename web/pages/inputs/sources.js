// Sources that send plain values: who, how often, how old, and every value live.

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
    ? ["idle", "Silent"]
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
            ? `Last heard ${fixed(age / 1000, 1)} s ago`
            : `${fixed(data.rate_hz, 0)} per second, ${fixed(age, 0)} ms old`
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
 * The largest that each value ever was: nobody says what a program's values may be.
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
