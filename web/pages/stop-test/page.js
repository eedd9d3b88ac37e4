// The page "Stop test" (/stop-test): the user tries every way to stop the robot, and the router
// measures each (a stop drill).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { dayAndClock } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { clearButton } from "../../views/estop.js";
import { drill } from "./state.js";
import { stepItem, times, WAYS } from "./steps.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./state.js").Report} Report */

const RESULTS = {
  passed: ["good", "Passed"],
  failed: ["bad", "Failed"],
  part: ["warn", "Incomplete"],
};

/** @param {Report} report */
const origin = ({ by, versions }) =>
  (by && by !== "anyone" ? `by ${by}` : "") +
  (versions.server ? `, release ${versions.server}` : "");

/** @param {App} app */
function view(app) {
  drill.update(app);
  const { info, problem } = drill;
  return html`
    <div class="page-head">
      <div>
        <h1>Stop test</h1>
        <p class="quiet">
          Tests and measures every way to stop this robot. The test does not move the robot.
        </p>
      </div>
    </div>
    ${
      problem
        ? html`
          <p class="notice" role="alert"><strong>The router does not reply:</strong> ${problem}</p>
        `
        : nothing
    }
    ${info ? content(app, info) : nothing}
  `;
}

/** @param {App} app @param {import("./state.js").Info} info */
function content(app, info) {
  return html`
    <div class="drill">
      ${info.running ? running(app, info.running, info.limit_ms) : start(app, info)}
      ${info.reports.length ? reports(info.reports) : nothing}
    </div>
  `;
}

/** @param {App} app @param {import("./state.js").Info} info */
function start(app, info) {
  return html`
    <section class="card" aria-labelledby="drill-begin">
      <header>
        <h2 id="drill-begin">
          ${info.reports.length ? "Test again" : "Not tested yet"}
        </h2>
      </header>
      <p>
        You press stop on a page, on the transmitter, on the console and from ROS; then one role's
        program is killed. Every output must be safe within ${info.limit_ms} ms each time. The test
        takes about 5 minutes.
      </p>
      <div class="toolbar">
        <button
          class="button primary"
          type="button"
          data-begin
          ?disabled=${!mayOperate(app) || drill.isBusy}
          @click=${() => drill.send(app, "begin")}
        >
          Start stop test
        </button>
        ${mayOperate(app) ? nothing : html`<p class="quiet">Needs the operator role.</p>`}
      </div>
    </section>
  `;
}

/** @param {App} app @param {Report} report @param {number} limitMs */
function running(app, report, limitMs) {
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isMeasuring = report.steps.some(({ state, source }) => state === "waiting" && source);
  const isTried = report.steps.every(({ state }) => state !== "open" && state !== "waiting");
  return html`
    <section class="card" aria-labelledby="drill-steps" data-drill>
      <header>
        <h2 id="drill-steps">Ways to stop</h2>
        <button class="button small ${isTried ? "primary" : ""}" type="button" data-finish
          ?disabled=${!mayOperate(app) || drill.isBusy} @click=${() => drill.send(app, "finish")}>
          ${isTried ? "Save report" : "End test and save report"}
        </button>
      </header>
      ${
        isStopped && !isMeasuring
          ? html`<div class="notice drill-clear" role="status">
            <span><strong>The robot is stopped.</strong> Check the robot, then clear the stop for
            the next step.</span> ${clearButton(app)}
          </div>`
          : nothing
      }
      <ol class="drill-steps">
        ${report.steps.map((step) => stepItem(app, step, isStopped, limitMs))}
      </ol>
    </section>
  `;
}

/** @param {Report[]} stored */
const reports = (stored) => html`
  <section class="card" aria-labelledby="drill-reports">
    <header><h2 id="drill-reports">Reports</h2></header>
    <ul class="drill-reports">
      ${stored.map((report, at) => {
        const [kind, word] = RESULTS[result(report)];
        return html`
          <li data-report=${at}>
            <details ?open=${at === 0}>
              <summary>
                <b>${dayAndClock(Date.parse(report.ended) / 1000)}</b>
                <span class="chip ${kind}"><i class="dot"></i>${word}</span>
                <span class="quiet">${origin(report)}</span>
              </summary>
              <dl class="facts-list">
                ${report.steps.map(
                  (step) => html`<dt>${WAYS[step.way].title}</dt><dd>${summary(step)}</dd>`,
                )}
              </dl>
            </details>
          </li>
        `;
      })}
    </ul>
  </section>
`;

/** @param {Report} report @returns {keyof typeof RESULTS} */
function result({ steps }) {
  if (steps.some(({ state }) => state === "failed")) return "failed";
  return steps.every(({ state }) => state === "passed") ? "passed" : "part";
}

/** @param {import("./state.js").Step} step */
function summary(step) {
  if (step.state === "open" || step.state === "waiting") return "Not tested";
  if (step.state === "skipped") return `Skipped: ${step.reason}`;
  return step.state === "failed" ? `Failed: ${step.reason}` : `Passed: ${times(step)}`;
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view,
  open: (app) => void drill.load(app),
  linked: (app) => void drill.load(app),
  close: () => drill.close(),
};
