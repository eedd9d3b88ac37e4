// The firmware page: the robot's release, the release of each machine, and the roll-out of an
// update.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import {
  blockedBy,
  isBusy,
  isUnderWay,
  lastTry,
  nameOf,
  stateWord,
} from "../../lib/robot/machine-updates.js";
import { bar } from "../../parts/bar.js";
import { policy } from "./policy.js";
import { releases } from "./releases.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store">} App */
/** @typedef {import("../../lib/types.js").FirmwareState} FirmwareState */
/** @typedef {import("../../lib/types.js").RolloutPlan} Plan */
/** @typedef {import("../../lib/types.js").MachineRollout} PlanStep */
/** @typedef {import("../../lib/types.js").MachineFirmware} MachineFirmware */
/** @typedef {import("../../lib/types.js").ControlAction} ControlAction */

/** @param {App} app */
export function firmware(app) {
  const data = app.store.data.firmware;
  return html`
    <div class="page-head"><h1>Firmware</h1></div>
    ${data?.problem ? noReply(data.problem) : nothing}
    <div class="columns">
      <div class="column wide">${robot(app)} ${machines(app)}</div>
      <div class="column">${releases(app)} ${policy(app)}</div>
    </div>
  `;
}

/** @param {import("../../lib/types.js").ErrorReply} found */
const noReply = (found) => html`
  <div class="notice" role="alert">
    <strong>The update service does not reply.</strong> ${found.message}
  </div>
`;

/** @param {App} app */
function robot(app) {
  const data = app.store.data.firmware;
  if (!data?.machines) return html`<section class="card release-card skeleton"></section>`;
  const versions = data.versions ?? [];
  return html`
    <section
      class="card release-card"
      aria-labelledby="robot-version"
      ?data-stale=${!app.store.isFresh("firmware", app.now)}
    >
      <div class="section-head">
        <h2 id="robot-version">
          ${versions.length > 1 ? "Different releases" : "Running release"}
        </h2>
        ${planChip(data.plan)}
      </div>
      <p class="version" data-robot-version>
        ${data.robot_version || versions.join(" · ") || "unknown"}
      </p>
      <p class="quiet">${machineCount(data, data.machines)}</p>
      ${
        data.updates_off
          ? html`<p class="refusal">Updates are not possible now: ${data.updates_off}</p>`
          : nothing
      }
      ${plan(app, data.plan)}
    </section>
  `;
}

/** @param {FirmwareState} data @param {MachineFirmware[]} machines */
function machineCount(data, machines) {
  const count = machines.filter((machine) => machine.is_online).length;
  const away = machines.length - count;
  const found = `${count} machine${count === 1 ? "" : "s"}`;
  if (away) return `on ${found}; ${away} offline`;
  return data.robot_version ? `on all ${found}` : `on ${found}`;
}

/** State of this page's own request. */
const act = { isBusy: false, refusal: "" };

const PLAN_CHIPS = {
  running: ["busy", "Roll-out running"],
  paused: ["warn", "Roll-out paused"],
  halted: ["bad", "Roll-out halted"],
  done: ["good", "Roll-out done"],
  cancelled: ["idle", "Roll-out cancelled"],
};

/** @param {Plan | null | undefined} plan */
function planChip(plan) {
  if (!plan) return nothing;
  const [kind, text] = PLAN_CHIPS[plan.state];
  return html`<span class="chip ${kind}" data-plan=${plan.state}><i class="dot"></i>${text}</span>`;
}

/** @param {App} app @param {Plan | null | undefined} plan */
function plan(app, plan) {
  const previous = (app.store.data.firmware?.machines ?? []).some((m) => m.spare_version);
  const back = html`
    <button
      class="button"
      type="button"
      data-rollback
      ?disabled=${!previous || act.isBusy}
      @click=${() => openDialog(app, "rollback")}
    >
      Roll back all…
    </button>
  `;
  if (!plan) return html`<div class="actions">${back}</div>`;
  const resume = plan.state === "halted" ? "Retry roll-out" : "Resume roll-out";
  const healthy = plan.steps.filter((s) => s.step === "healthy").length;
  const title = plan.is_rollback ? "Rollback" : `Release ${plan.version}`;
  return html`
    <div class="plan">
      <p>
        <b>${title}</b>: ${healthy} of ${plan.steps.length} machines
        healthy${plan.reason ? "" : "."}
      </p>
      <span class="track"><i ${bar(healthy, 0, Math.max(1, plan.steps.length))}></i></span>
      ${plan.reason ? html`<p class="refusal" data-plan-reason>${plan.reason}</p>` : nothing}
      <p class="refusal" role="alert">${act.refusal || nothing}</p>
      <div class="actions">
        ${plan.state === "running" ? control(app, "pause", "Pause roll-out") : nothing}
        ${
          ["paused", "halted"].includes(plan.state)
            ? html`
              ${control(app, "resume", resume, "primary")}
              ${control(app, "cancel", "Cancel roll-out")}
            `
            : nothing
        }
        ${back}
      </div>
    </div>
  `;
}

/** @param {App} app @param {ControlAction} action @param {string} text @param {string} [kind] */
const control = (app, action, text, kind = "") => html`
  <button
    class="button ${kind}"
    type="button"
    data-control=${action}
    ?disabled=${act.isBusy}
    @click=${() => send(app, action)}
  >
    ${text}
  </button>
`;

/** @param {App} app @param {"rollback"} what */
function openDialog(app, what) {
  const choice = { what, release: null, canary: "", isForced: false };
  app.dialogs.firmware = { ...choice, isBusy: false, refusal: "" };
  app.draw();
}

/** @param {App} app @param {ControlAction} action */
async function send(app, action) {
  Object.assign(act, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await app.api.request("management", "firmware_control", { action });
  } catch (err) {
    act.refusal = /** @type {Error} */ (err).message;
  }
  act.isBusy = false;
  app.draw();
}

/** @param {App} app */
function machines(app) {
  const data = app.store.data.firmware;
  const going = isUnderWay(data?.plan) ? (data?.plan?.steps ?? []) : [];
  const steps = new Map(going.map((step) => [step.node_id, step]));
  const list = data?.machines ?? [];
  return html`
    <section
      aria-labelledby="machines-title"
      ?data-stale=${!app.store.isFresh("firmware", app.now)}
    >
      <div class="section-head"><h2 id="machines-title">Machines</h2></div>
      <ul class="machines card">
        ${repeat(
          list,
          (machine) => machine.node_id,
          (machine) => row(app, machine, steps.get(machine.node_id)),
        )}
      </ul>
    </section>
  `;
}

/** @param {App} app @param {MachineFirmware} machine @param {PlanStep | undefined} step */
function row(app, machine, step) {
  const [kind, word] = stateWord(machine, step);
  const failed = lastTry(machine);
  return html`
    <li data-machine=${machine.node_id} class=${machine.is_online ? "" : "is-away"}>
      <div class="machine-name">
        <b>${nameOf(machine, app.store.data.nodes?.nodes)}</b>
        <code>${machine.node_id}</code>
      </div>
      <div class="machine-version">
        <b>${machine.version || "unknown"}</b>
        <span class="quiet">${machine.slot ? `slot ${machine.slot}` : ""}</span>
      </div>
      <span class="chip ${kind}" data-state><i class="dot"></i>${word}</span>
      ${
        machine.state === "installing" && machine.is_online
          ? html`<span
            class="track machine-progress"
            role="progressbar"
            aria-valuenow=${machine.progress}
            aria-valuemin="0"
            aria-valuemax="100"
            aria-label="Installed"
          >
            <i ${bar(machine.progress, 0, 100)}></i>
          </span>`
          : nothing
      }
      ${failed ? html`<p class="machine-note is-fault" data-verdict>${failed}</p>` : nothing}
      ${
        !failed && machine.blocked_by && !isBusy(machine)
          ? html`<p class="machine-note">${blockedBy(machine)}</p>`
          : nothing
      }
      ${
        failed && machine.log_excerpt
          ? html`
            <details class="machine-log">
              <summary>Failure log</summary><pre>${machine.log_excerpt}</pre>
            </details>
          `
          : nothing
      }
    </li>
  `;
}
