// The page "Stop test" (#/stop-test/stop): a person tries every way to stop the robot, the router
// measures.

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
  part: ["warn", "In part"],
};

/** @param {Report} report */
const byWhom = ({ by, versions }) =>
  (by && by !== "anyone" ? `by ${by}` : "") +
  (versions.server ? `, release ${versions.server}` : "");

/** @param {App} app */
function view(app) {
  drill.look(app);
  const { info, problem } = drill;
  return html`
    <div class="page-head">
      <div>
        <h1>Stop test</h1>
        <p class="quiet">
          Tries every way to stop this robot and measures each. Nothing in it moves the robot.
        </p>
      </div>
    </div>
    ${
      problem
        ? html`
          <p class="notice" role="alert"><strong>The router does not answer:</strong> ${problem}</p>
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
      ${info.running ? underWay(app, info.running, info.limit_ms) : beginning(app, info)}
      ${info.reports.length ? reports(info.reports) : nothing}
    </div>
  `;
}

/** @param {App} app @param {import("./state.js").Info} info */
function beginning(app, info) {
  return html`
    <section class="card" aria-labelledby="drill-begin">
      <header>
        <h2 id="drill-begin">
          ${info.reports.length ? "Test it again" : "This robot's stop was never tested"}
        </h2>
      </header>
      <p>
        You press stop on a page, on the transmitter, on the console and from ROS; then the program
        of one role is killed. Each time every output must be safe within ${info.limit_ms} ms. Five
        minutes; the robot may stand.
      </p>
      <div class="toolbar">
        <button
          class="button primary"
          type="button"
          data-begin
          ?disabled=${!mayOperate(app) || drill.isBusy}
          @click=${() => drill.send(app, "begin")}
        >
          Begin
        </button>
        ${
          mayOperate(app) ? nothing : html`<p class="quiet">Only an operator may test the stop.</p>`
        }
      </div>
    </section>
  `;
}

/** @param {App} app @param {Report} running @param {number} limitMs */
function underWay(app, running, limitMs) {
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isMeasuring = running.steps.some(({ state, source }) => state === "waiting" && source);
  const isTried = running.steps.every(({ state }) => state !== "open" && state !== "waiting");
  return html`
    <section class="card" aria-labelledby="drill-steps" data-drill>
      <header>
        <h2 id="drill-steps">Ways to stop</h2>
        <button class="button small ${isTried ? "primary" : ""}" type="button" data-finish
          ?disabled=${!mayOperate(app) || drill.isBusy} @click=${() => drill.send(app, "finish")}>
          ${isTried ? "Store the report" : "End and store"}
        </button>
      </header>
      ${
        isStopped && !isMeasuring
          ? html`<div class="notice drill-release" role="status">
            <span><strong>The robot is stopped.</strong> Look at it, then release the stop for the
            next step.</span> ${clearButton(app)}
          </div>`
          : nothing
      }
      <ol class="drill-steps">
        ${running.steps.map((step) => stepItem(app, step, isStopped, limitMs))}
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
                <span class="quiet">${byWhom(report)}</span>
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
  if (step.state === "open" || step.state === "waiting") return "Not tried";
  if (step.state === "skipped") return `Left out: ${step.reason}`;
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
