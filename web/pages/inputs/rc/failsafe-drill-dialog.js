// The failsafe drill as a person goes through it: get ready, switch the transmitter off, read what
// the robot did. Nothing is simulated; the judge is drill.js.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { quantity, targetName, words } from "../../../lib/format.js";
import { dialog } from "../../../parts/dialog.js";
import { watches } from "../watches.js";
import { Drill, EXACT_MS } from "./failsafe-drill.js";
import { condition } from "./receiver.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "robot" | "router" |
 *   "store">} App
 */
/** @typedef {import("../../../lib/types.js").States} States */
/**
 * The newest of both topics, and when it came (performance.now).
 * @typedef {object} Came
 * @property {[States["inputs"] | null | undefined, number]} inputs
 * @property {[States["outputs"] | null | undefined, number]} outputs
 */
/** @typedef {{judge: Drill | null, timer: number, saidOff: boolean}} OpenDrill */

const LOOK_MS = 20;
const TOPICS = { inputs: 50, outputs: 0, tracks: 50 }; // while it measures
/** @type {Record<string, [string, string, string]>} */
const VERDICTS = {
  pass: ["good", "Passed", "The robot did what it is set to do when the transmitter is gone."],
  fail: ["bad", "Failed", "Do not drive this robot by RC before this is mended."],
  unjudged: ["warn", "Could not judge", "This drill says nothing about the robot. Try it again."],
};

/** @param {App} app */
export function openDrill(app) {
  app.dialogs.drill = { judge: null, timer: 0, saidOff: false };
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
  const judge = open.judge;
  const step = judge ? judge.phase : "ready";
  return html`
    <div class="wizard" data-drill-step=${step}>
      <h2>Failsafe drill</h2>
      ${step === "ready" ? ready(app, open, close) : nothing}
      ${judge?.phase === "waiting" ? waiting(app, open, judge, close) : nothing}
      ${
        judge?.phase === "lost"
          ? html`<p class="instruction" role="status">The signal is gone. Measuring…</p>`
          : nothing
      }
      ${judge?.phase === "judged" ? judged(app, open, judge, close) : nothing}
    </div>
  `;
}

/** @param {App} app @param {OpenDrill} open @param {() => void} close */
function ready(app, open, close) {
  const needs = conditions(app);
  const isReady = needs.every(([is, , isMust]) => is || !isMust);
  return html`
    <p>
      Finds out what this robot really does when the transmitter is gone. You hold a stick away from
      the middle and switch the transmitter off; this page watches what every output does.
    </p>
    <p>
      <strong>The robot moves during this drill.</strong> Lift it so that the tracks turn freely,
      and keep hands away.
    </p>
    <ul class="needs">
      ${needs.map(
        ([is, text]) => html`<li data-met=${is}>
          <span class="chip ${is ? "good" : "warn"}"
            ><i class="dot"></i>${is ? "Ready" : "Not yet"}</span>
          ${text}
        </li>`,
      )}
    </ul>
    <div class="actions">
      <button class="button" type="button" @click=${close}>Cancel</button>
      <button class="button primary" type="button" data-focus data-begin ?disabled=${!isReady}
        @click=${() => begin(app, open)}
      >
        Begin
      </button>
    </div>
  `;
}

/** What must be so, and what should. @param {App} app @returns {[boolean, string, boolean][]} */
function conditions(app) {
  const status = watches.status.data;
  const fields = app.store.data.outputs?.fields ?? [];
  const driven = fields.filter((each) => each.source === "rc" && each.policy === "live");
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  return [
    [status !== null && condition(status)[1] === "Live", "The transmitter is on and heard.", true],
    [!isStopped, "The emergency stop is released.", true],
    [Boolean(watches.failsafe.data), "It is known what a lost signal means.", true],
    [
      driven.length > 0,
      driven.length
        ? `The transmitter drives ${driven.length} outputs now.`
        : "The transmitter drives something: move a stick.",
      false,
    ],
  ];
}

/** @param {App} app @param {OpenDrill} open */
function begin(app, open) {
  const { data: rules } = watches.failsafe;
  if (!rules) return; // it cannot be begun before
  const judge = new Drill(rules, (target, field) => app.robot?.targets?.[target]?.[field]);
  Object.assign(open, { judge, saidOff: false });
  clearInterval(open.timer);
  app.api.subscribe({ ...app.api.topics, ...TOPICS });
  const began = performance.now();
  /** @type {Came} */
  const came = { inputs: [null, began], outputs: [null, began] };
  open.timer = setInterval(() => {
    if (app.api.state !== "open") judge.interrupt("The connection to the robot was lost.");
    else if (document.hidden)
      judge.interrupt("This page was not in front, so the browser did not let it measure.");
    else judge.take(picture(app, came));
    app.draw();
  }, LOOK_MS);
  app.draw();
}

/** @param {App} app @param {Came} came */
function picture(app, came) {
  const now = performance.now();
  const { inputs, outputs, tracks, system } = app.store.data;
  if (inputs !== came.inputs[0]) came.inputs = [inputs, now];
  if (outputs !== came.outputs[0]) came.outputs = [outputs, now];
  const told = [tracks?.left_velocity, tracks?.right_velocity];
  const speeds = told.flatMap((each) => (typeof each === "number" ? [Math.abs(each)] : []));
  return {
    now,
    rc: inputs?.rc ?? null,
    rcAt: came.inputs[1],
    fields: outputs?.fields ?? [],
    fieldsAt: came.outputs[1],
    isStopped: Boolean(system?.estop?.active),
    speed: speeds.length ? Math.max(...speeds) : null,
  };
}

/** @param {App} app @param {OpenDrill} open @param {Drill} judge @param {() => void} close */
function waiting(app, open, judge, close) {
  const driven = [...judge.outputs.values()];
  const off = () => ((open.saidOff = true), judge.switchedOff(performance.now()), app.draw());
  return html`
    <p class="instruction" role="status">
      ${
        open.saidOff
          ? "The receiver still sends good frames. Waiting some seconds…"
          : "Hold a stick still, away from the middle. Now switch the transmitter off."
      }
    </p>
    <p class="quiet" ?data-drives=${driven.length > 0}>
      ${
        driven.length ? `It drives now: ${driven.map(title).join(", ")}.` : "It drives nothing now."
      }
    </p>
    <div class="actions">
      <button class="button" type="button" @click=${close}>Cancel</button>
      <button class="button" type="button" data-off ?disabled=${open.saidOff} @click=${off}>
        It is off
      </button>
    </div>
  `;
}

/** @param {{target: string, field: string}} each */
const title = ({ target, field }) => `${targetName(target)} ${words(field).toLowerCase()}`;

/** @param {App} app @param {OpenDrill} open @param {Drill} judge @param {() => void} close */
function judged(app, open, judge, close) {
  const [kind, word, text] = VERDICTS[judge.verdict];
  const outputs = [...judge.outputs.values()];
  return html`
    <p class="verdict" role="status" data-verdict=${judge.verdict}>
      <span class="chip ${kind}"><i class="dot"></i>${word}</span> ${text}
    </p>
    ${
      judge.reasons.length
        ? html`<ul class="findings">${judge.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`
        : nothing
    }
    ${judge.toldMs !== null ? measured(judge, outputs) : nothing}
    <div class="actions">
      <button class="button" type="button" @click=${() => begin(app, open)}>Again</button>
      <button class="button primary" type="button" data-focus @click=${close}>Close</button>
    </div>
  `;
}

/** @param {Drill} judge @param {import("./failsafe-drill.js").Watched[]} outputs */
const measured = (judge, outputs) => html`
  <dl class="facts-list">
    <dt>Told of the loss after</dt><dd>${ms(judge.toldMs)}</dd>
    ${
      judge.stoodMs === null
        ? nothing
        : html`<dt>Tracks stood after</dt><dd>${ms(judge.stoodMs)}, by their own measure</dd>`
    }
    <dt>Signal back after</dt>
    <dd>${judge.backMs === null ? "not yet: switch the transmitter on" : ms(judge.backMs)}</dd>
  </dl>
  <div class="table-wrap">
    <table class="table">
      <thead>
        <tr>
          <th>Output</th>
          <th class="right">Let go after</th>
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
                  : html`<span class="chip good"><i class="dot"></i>Right</span>`
              }
            </td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>
  <p class="quiet">
    Times are from the last good frame, exact to about ${EXACT_MS} ms: they are what reached this
    page over the network. "Let go" must come within ${judge.limitMs} ms.
  </p>
`;

/** @param {number | null} time */
const ms = (time) => (time === null ? "–" : `${Math.round(time)} ms`);
