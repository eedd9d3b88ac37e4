// What happened lately.

import { html } from "/vendor/lit-html/lit-html.js";
import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { clock } from "../../lib/format.js";

const SHOWN = 12;

/** @param {import("../../app.js").App} app */
export function activity(app) {
  const entries = app.store.data.log?.entries ?? [];
  return html`
    <section class="activity" aria-labelledby="activity-title">
      <div class="section-head"><h2 id="activity-title">Activity</h2></div>
      <div class="card log">
        ${entries.length
          ? html`<ol>
              ${repeat(
                entries.slice(0, SHOWN),
                (/** @type {any} */ entry) => entry.number,
                (/** @type {any} */ entry) => html`
                  <li class="is-${entry.level.toLowerCase()}">
                    <time>${clock(entry.time)}</time><span>${entry.text}</span>
                  </li>
                `,
              )}
            </ol>`
          : html`<p class="quiet">Nothing has happened since the server started.</p>`}
      </div>
    </section>
  `;
}
