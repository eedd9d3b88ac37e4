// One way to stop the robot: the instruction, the measured times and the actions.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField, withValue } from "../../lib/events.js";
import { targetName } from "../../lib/format.js";
import { isAdmin, mayOperate } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { drill } from "./state.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "robot" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("./state.js").Step} Step */

const PUBLISH = 'ros2 topic pub --once /saint/tracks/estop std_msgs/msg/Bool "{data: true}"';

export const WAYS = {
  page: { title: "Page", text: "Press STOP on this page or on another device." },
  rc: { title: "Transmitter", text: "Turn on the stop switch of the RC transmitter." },
  console: { title: "Console button", text: "Press the stop button of the console." },
  ros: {
    title: "ROS 2",
    text: html`On a ROS machine: <code>${PUBLISH}</code>`,
  },
  kill: {
    title: "Killed role",
    text: "One role's program is killed; the guard of its node must stop the outputs.",
  },
};
const STATES = {
  open: ["", "Not tested"],
  waiting: ["new", "Press now"],
  passed: ["good", "Passed"],
  failed: ["bad", "Failed"],
  skipped: ["warn", "Skipped"],
};
/** Role whose program is killed. */
const chosen = { target: "" };

/** @param {App} app @param {Step} step @param {boolean} isStopped @param {number} limitMs */
export function stepItem(app, step, isStopped, limitMs) {
  const { title, text } = WAYS[step.way];
  const isMeasuring = step.state === "waiting" && Boolean(step.source);
  const [kind, word] = isMeasuring ? ["new", "Measuring"] : STATES[step.state];
  return html`
    <li data-way=${step.way} data-state=${step.state}>
      <h3>${title} <span class="chip ${kind}" role="status"><i class="dot"></i>${word}</span></h3>
      <p class="drill-text">${text}</p>
      ${step.targets.length ? measured(step, limitMs) : nothing}
      ${
        step.reason
          ? html`
            <p class="drill-reason">
              ${step.state === "skipped" ? "Skipped: " : ""}${step.reason}
            </p>
          `
          : nothing
      }
      <div class="toolbar">
        ${step.way === "kill" ? killButton(app, isStopped) : testButton(app, step, isStopped)}
        ${skipChoice(app, step)}
      </div>
    </li>
  `;
}

/** @param {App} app @param {Step} step @param {boolean} isStopped */
function testButton(app, step, isStopped) {
  const { way } = step;
  if (step.state === "waiting" || way === "kill") return nothing;
  return html`<button class="button small" type="button" data-wait
    ?disabled=${!mayOperate(app) || isStopped || drill.isBusy}
    @click=${() => drill.send(app, "wait", { way })}>
    ${step.state === "open" ? "Test" : "Test again"}<span class="hidden">
    ${WAYS[step.way].title}</span>
  </button>`;
}

/** @param {App} app @param {boolean} isStopped */
function killButton(app, isStopped) {
  const targets = Object.keys(app.robot?.targets ?? {});
  const target = chosen.target || (targets.includes("tracks") ? "tracks" : targets[0]);
  if (!isAdmin(app)) return html`<p class="quiet">Needs the admin role.</p>`;
  return html`
    <label class="drill-target">
      <span class="hidden">Role</span>
      <select @change=${withValue((value) => ((chosen.target = value), app.draw()))}>
        ${targets.map(
          (each) =>
            html`<option value=${each} ?selected=${each === target}>${targetName(each)}</option>`,
        )}
      </select>
    </label>
    <button class="button small" type="button" data-kill ?disabled=${!target || drill.isBusy}
      @click=${() => askToKill(app, target, isStopped)}
    >
      Kill program…
    </button>
  `;
}

/** @param {App} app @param {string} target @param {boolean} isStopped */
function askToKill(app, target, isStopped) {
  askConfirmation(app, {
    title: `Kill the program of ${targetName(target)}?`,
    text: html`
      The guard makes its outputs safe at once; a joint without a brake may sink. The program
      restarts after some seconds${isStopped ? " and stays stopped." : "."}`,
    verb: "Kill the program",
    doing: "Killing…",
    isDanger: true,
    work: () => drill.request(app, "kill", { target }),
  });
}

/** @param {App} app @param {Step} step */
function skipChoice(app, step) {
  if (step.state !== "open" && step.state !== "waiting") return nothing;
  const choices = ["Not present on this robot", "Not available today"];
  const skip = withField((field) => {
    const reason = field.value;
    field.value = "";
    if (reason) drill.send(app, "skip", { way: step.way, reason });
  });
  return html`
    <label class="drill-target">
      <span class="hidden">Skip ${WAYS[step.way].title}</span>
      <select data-skip ?disabled=${!mayOperate(app) || drill.isBusy} @change=${skip}>
        <option value="">Skip…</option>
        ${choices.map((each) => html`<option>${each}</option>`)}
      </select>
    </label>
  `;
}

/** @param {Step} step @param {number} limitMs */
const measured = (step, limitMs) => html`
  <ul class="drill-times" aria-label="Measured">
    ${step.targets.map(({ target, state, after_ms: ms, detail }) => {
      const isGood = ms !== null && ms <= limitMs && (state === "stopped" || state === "guard");
      return html`<li data-target=${target} title=${detail || nothing}>
        <span>${targetName(target)}</span>
        <b class=${isGood ? "" : "is-bad"}>${ms === null ? "no reply" : `${Math.round(ms)} ms`}</b>
      </li>`;
    })}
  </ul>
`;

/** @param {Step} step */
export const times = (step) =>
  step.targets
    .map(
      ({ target, after_ms: ms }) =>
        `${targetName(target)} ${ms === null ? "–" : Math.round(ms)} ms`,
    )
    .join(", ");
