// The dialog of the failsafe drill: prepare, turn the transmitter off, read the result. Nothing is
// simulated. Not here: the evaluation (failsafe-drill.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { quantity, targetName, words } from "../../../lib/format.js";
import { dialog } from "../../../parts/dialog.js";
import { polls } from "../polls.js";
import { ACCURACY_MS, FailsafeDrill } from "./failsafe-drill.js";
import { condition } from "./receiver.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "robot" | "router" |
 *   "store">} App
 */
/** @typedef {import("../../../lib/types.js").States} States */
/**
 * The newest state of both topics with its time of arrival (performance.now).
 * @typedef {object} Arrived
 * @property {[States["inputs"] | null | undefined, number]} inputs
 * @property {[States["outputs"] | null | undefined, number]} outputs
 */
/** @typedef {{drill: FailsafeDrill | null, timer: number, saidOff: boolean}} OpenDrill */

const PERIOD_MS = 20;
const TOPICS = { inputs: 50, outputs: 0, tracks: 50 }; // while it measures
/** @type {Record<string, [string, string, string]>} */
const VERDICTS = {
  pass: ["good", "Passed", "The robot obeyed its failsafe settings when the signal was lost."],
  fail: ["bad", "Failed", "Do not drive this robot by RC until this is fixed."],
  unjudged: ["warn", "No result", "The drill could not be evaluated. Run it again."],
};

/** @param {App} app */
export function openDrill(app) {
  app.dialogs.drill = { drill: null, timer: 0, saidOff: false };
  app.draw();
}

/** @param {App} app */
export function closeDrill(app) {
  const open = app.dialogs.drill;
  if (!open) return;
  clearInterval(open.timer);
  app.dialogs.drill = null;
  const { inputs, outputs, tracks, ...others } = app.api.topics;
  app.api.subscribe({ ...others, ...app.router.page?.topics });
}

/** @param {App} app */
export function drillDialog(app) {
  const open = app.dialogs.drill;
  const close = () => (closeDrill(app), app.draw());
  return dialog(open, close, (open) => content(app, open, close), "Failsafe drill");
}

/** @param {App} app @param {OpenDrill} open @param {() => void} close */
function content(app, open, close) {
  const { drill } = open;
  const step = drill ? drill.phase : "ready";
  return html`
    <div class="wizard" data-drill-step=${step}>
      <h2>Failsafe drill</h2>
      ${step === "ready" ? ready(app, open, close) : nothing}
      ${drill?.phase === "waiting" ? waiting(app, open, drill, close) : nothing}
      ${
        drill?.phase === "lost"
          ? html`<p class="instruction" role="status">Signal lost. Measuring…</p>`
          : nothing
      }
      ${drill?.phase === "judged" ? result(app, open, drill, close) : nothing}
    </div>
  `;
}

/** @param {App} app @param {OpenDrill} open @param {() => void} close */
function ready(app, open, close) {
  const needs = conditions(app);
  const isReady = needs.every(([is, , isMust]) => is || !isMust);
  return html`
    <p>
      This drill measures what the robot does when the RC signal is lost. Hold a stick off centre
      and turn the transmitter off; this page records every output.
    </p>
    <p>
      <strong>The robot moves during this drill.</strong> Lift it so that the tracks turn freely,
      and keep hands away.
    </p>
    <ul class="needs">
      ${needs.map(
        ([is, text]) => html`<li data-met=${is}>
          <span class="chip ${is ? "good" : "warn"}"
            ><i class="dot"></i>${is ? "Ready" : "Not ready"}</span>
          ${text}
        </li>`,
      )}
    </ul>
    <div class="actions">
      <button class="button" type="button" @click=${close}>Cancel</button>
      <button class="button primary" type="button" data-focus data-begin ?disabled=${!isReady}
        @click=${() => begin(app, open)}
      >
        Start drill
      </button>
    </div>
  `;
}

/**
 * Return the conditions: met, text, required.
 * @param {App} app
 * @returns {[boolean, string, boolean][]}
 */
function conditions(app) {
  const status = polls.status.data;
  const fields = app.store.data.outputs?.fields ?? [];
  const driven = fields.filter((each) => each.source === "rc" && each.policy === "live");
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return [
    [
      status !== null && condition(status)[1] === "Live",
      "The transmitter is on and received.",
      true,
    ],
    [!isStopped, "The emergency stop is clear.", true],
    [Boolean(polls.failsafe.data), "The failsafe settings are loaded.", true],
    [
      driven.length > 0,
      driven.length
        ? `The transmitter drives ${driven.length} outputs.`
        : "The transmitter drives an output: move a stick.",
      false,
    ],
  ];
}

/** @param {App} app @param {OpenDrill} open */
function begin(app, open) {
  const { data: rules } = polls.failsafe;
  if (!rules) return; // the button is disabled until then
  const drill = new FailsafeDrill(rules, (target, field) => app.robot?.targets?.[target]?.[field]);
  Object.assign(open, { drill, saidOff: false });
  clearInterval(open.timer);
  app.api.subscribe({ ...app.api.topics, ...TOPICS });
  const began = performance.now();
  /** @type {Arrived} */
  const arrived = { inputs: [null, began], outputs: [null, began] };
  open.timer = setInterval(() => {
    if (app.api.state !== "open") drill.interrupt("The connection to the robot was lost.");
    else if (document.hidden)
      drill.interrupt("This page was in the background, where browsers slow down measurements.");
    else drill.add(snapshot(app, arrived));
    app.draw();
  }, PERIOD_MS);
  app.draw();
}

/** @param {App} app @param {Arrived} arrived */
function snapshot(app, arrived) {
  const now = performance.now();
  const { inputs, outputs, tracks, system } = app.store.data;
  if (inputs !== arrived.inputs[0]) arrived.inputs = [inputs, now];
  if (outputs !== arrived.outputs[0]) arrived.outputs = [outputs, now];
  const both = [tracks?.left_velocity, tracks?.right_velocity];
  const speeds = both.flatMap((each) => (typeof each === "number" ? [Math.abs(each)] : []));
  return {
    now,
    rc: inputs?.rc ?? null,
    rcAt: arrived.inputs[1],
    fields: outputs?.fields ?? [],
    fieldsAt: arrived.outputs[1],
    isStopped: Boolean(system?.estop?.active),
    speed: speeds.length ? Math.max(...speeds) : null,
  };
}

/**
 * @param {App} app
 * @param {OpenDrill} open
 * @param {FailsafeDrill} drill
 * @param {() => void} close
 */
function waiting(app, open, drill, close) {
  const driven = [...drill.outputs.values()];
  const off = () => ((open.saidOff = true), drill.switchedOff(performance.now()), app.draw());
  return html`
    <p class="instruction" role="status">
      ${
        open.saidOff
          ? "The receiver still sends good frames. Waiting up to 5 s…"
          : "Hold a stick still off centre, then turn the transmitter off."
      }
    </p>
    <p class="quiet" ?data-drives=${driven.length > 0}>
      ${driven.length ? `RC drives: ${driven.map(title).join(", ")}.` : "RC drives nothing."}
    </p>
    <div class="actions">
      <button class="button" type="button" @click=${close}>Cancel</button>
      <button class="button" type="button" data-off ?disabled=${open.saidOff} @click=${off}>
        Transmitter is off
      </button>
    </div>
  `;
}

/** @param {{target: string, field: string}} each */
const title = ({ target, field }) => `${targetName(target)} ${words(field).toLowerCase()}`;

/**
 * @param {App} app
 * @param {OpenDrill} open
 * @param {FailsafeDrill} drill
 * @param {() => void} close
 */
function result(app, open, drill, close) {
  const [kind, word, text] = VERDICTS[drill.verdict];
  const outputs = [...drill.outputs.values()];
  return html`
    <p class="verdict" role="status" data-verdict=${drill.verdict}>
      <span class="chip ${kind}"><i class="dot"></i>${word}</span> ${text}
    </p>
    ${
      drill.reasons.length
        ? html`<ul class="findings">${drill.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`
        : nothing
    }
    ${drill.reportedMs !== null ? measured(drill, outputs) : nothing}
    <div class="actions">
      <button class="button" type="button" @click=${() => begin(app, open)}>Run again</button>
      <button class="button primary" type="button" data-focus @click=${close}>Close</button>
    </div>
  `;
}

/** @param {FailsafeDrill} drill @param {import("./failsafe-drill.js").ObservedOutput[]} outputs */
const measured = (drill, outputs) => html`
  <dl class="facts-list">
    <dt>Loss reported after</dt><dd>${ms(drill.reportedMs)}</dd>
    ${
      drill.stoodMs === null
        ? nothing
        : html`<dt>Tracks at rest after</dt><dd>${ms(drill.stoodMs)}, measured</dd>`
    }
    <dt>Signal back after</dt>
    <dd>${drill.backMs === null ? "not yet: turn the transmitter on" : ms(drill.backMs)}</dd>
  </dl>
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Output</th>
          <th class="right">Released after</th>
          <th>Then</th>
          <th class="right">From, to</th>
          <th>Result</th>
        </tr>
      </thead>
      <tbody>
        ${outputs.map(
          (each) => html`<tr data-output=${`${each.target}.${each.field}`}>
            <td>${title(each)}</td>
            <td class="right">${ms(each.leftMs)}</td>
            <td>${each.source || words(each.policy)}</td>
            <td class="right">
              ${quantity(each.before, each.unit)}, ${quantity(each.after, each.unit)}
            </td>
            <td>
              ${
                each.fault
                  ? html`<span class="chip bad"><i class="dot"></i>${each.fault}</span>`
                  : html`<span class="chip good"><i class="dot"></i>Passed</span>`
              }
            </td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>
  <p class="quiet">
    Times are from the last good frame, measured over the network and accurate to about
    ${ACCURACY_MS} ms. RC must release control within ${drill.limitMs} ms.
  </p>
`;

/** @param {number | null} time */
const ms = (time) => (time === null ? "–" : `${Math.round(time)} ms`);
