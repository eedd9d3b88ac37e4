// The tab "LiveLink": subjects, senders, listeners and recordings.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { viewerNotice } from "../../../lib/levels.js";
import { polls } from "../polls.js";
import { listeners } from "./listeners.js";
import { recordings } from "./recordings.js";
import { acceptedSenders, waitingSenders } from "./senders.js";
import { subject } from "./subject.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store" |
 *   "toasts">} App
 */

/** @param {App} app */
export function livelink(app) {
  const { data, problem } = polls.subjects;
  return html`
    ${viewerNotice(app)}
    ${
      problem
        ? html`<div class="notice" role="alert">
          <strong>The LiveLink service does not reply:</strong> ${problem.message} ${problem.fix}
        </div>`
        : nothing
    }
    <div class="livelink-grid" ?data-stale=${Boolean(problem)}>
      <div>
        ${waitingSenders(app)}
        <section aria-labelledby="subjects-title">
          <div class="section-head">
            <h2 id="subjects-title">Subjects</h2>
            <span class="quiet">${data ? refusals(data.refused) : ""}</span>
          </div>
          ${!data && !problem ? html`<div class="card skeleton rc-wait"></div>` : nothing}
          ${data && !data.sources.length ? empty : nothing}
          ${repeat(
            data?.sources ?? [],
            (each) => each.subject_name,
            (each) => subject(app, each),
          )}
        </section>
      </div>
      <div class="livelink-side">${listeners(app)} ${acceptedSenders(app)} ${recordings(app)}</div>
    </div>
  `;
}

/** @param {Record<string, number>} refused datagrams by reason */
function refusals(refused) {
  const count = Object.values(refused).reduce((sum, each) => sum + each, 0);
  if (!count) return "";
  const [[most]] = Object.entries(refused).sort(([, a], [, b]) => b - a);
  return `${count} datagrams rejected, most of them: ${most.replaceAll("_", " ")}`;
}

const empty = html`
  <div class="card empty">
    <h3>No subjects</h3>
    <p>
      In the capture app, enter an address and port from "Listeners" as its target. Phone and robot
      must be in the same network.
    </p>
  </div>
`;
