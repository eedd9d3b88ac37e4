// The tab "RC": receivers, channels, protocol, failsafe, calibration and failsafe drill.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../../lib/format.js";
import { mayOperate, viewerNotice } from "../../../lib/levels.js";
import { polls } from "../polls.js";
import { openCalibration } from "./calibration.js";
import { channels } from "./channels.js";
import { openDrill } from "./failsafe-drill-dialog.js";
import { failsafeForm } from "./failsafe-form.js";
import { protocolForm } from "./protocol-form.js";
import { condition } from "./receiver.js";

/** @typedef {import("../../../context.js").App} App */
/** @typedef {import("../../../lib/types.js").RcLine} RcLine */
/** @typedef {import("../../../lib/types.js").RcStatus} RcStatus */

const LOSS_TEXTS = {
  hold: "Signal lost: positions hold, wheels rest, and RC keeps control.",
  neutral: "Signal lost: the robot moves to neutral, and wheels rest.",
  estop: "Signal lost: the emergency stop was raised.",
  passthrough: "RC has released control; other inputs may take over.",
};

/** @param {App} app */
export function rc(app) {
  const { data: status, problem } = polls.status;
  if (!status) return problem ? noReply(problem) : html`<div class="card skeleton rc-wait"></div>`;
  return html`
    ${viewerNotice(app)} ${problem ? noReply(problem) : nothing}
    <div class="rc-grid" ?data-stale=${Boolean(problem)}>
      <div class="rc-side">
        <section class="receiver-part" aria-labelledby="receiver-title">
          <div class="section-head">
            <h2 id="receiver-title">Receiver</h2>${enable(app, status)}
          </div>
          ${receiver(app, status)}
        </section>
        <section class="failsafe-part">${failsafeForm(app)}</section>
      </div>
      ${channels(app, status)}
      <section class="protocol-part">${protocolForm(app, status)}</section>
    </div>
  `;
}

/** @param {import("../../../lib/api.js").ApiError} problem */
const noReply = ({ message, fix }) => html`
  <div class="notice" role="alert">
    <strong>The RC service does not reply:</strong> ${message} ${fix}
  </div>
`;

/** @param {App} app @param {RcStatus} status */
function enable(app, status) {
  async function toggle() {
    try {
      await app.api.request("rc", "set_enabled", { enabled: !status.enabled });
    } catch (err) {
      app.toasts.failed(err);
    }
    polls.status.refresh(app);
  }
  return html`
    <button
      class="button small"
      type="button"
      data-enable
      ?disabled=${!mayOperate(app)}
      @click=${toggle}
    >
      ${status.enabled ? "Turn off" : "Turn on"}
    </button>
  `;
}

/** @param {App} app @param {RcStatus} status */
function receiver(app, status) {
  const [kind, word] = condition(status);
  const has = status.enabled && status.connected && !status.failsafe;
  return html`
    <article class="card receiver" data-receiver=${word}>
      <header>
        <h3>${status.protocol.toUpperCase()} <span class="quiet">${status.device}</span></h3>
        <span class="chip ${kind}"><i class="dot"></i>${word}</span>
      </header>
      ${status.told ? html`<p class="told" role="status">${LOSS_TEXTS[status.told]}</p>` : nothing}
      ${
        status.calibrating
          ? html`<p class="told">Calibration in progress: the sticks move nothing.</p>`
          : nothing
      }
      ${!has && status.reason ? html`<p class="quiet">${sentence(status.reason)}</p>` : nothing}
      ${
        status.armed === null
          ? nothing
          : html`<p><span class="chip ${status.armed ? "good" : "warn"}" data-armed=${status.armed}>
            <i class="dot"></i>${
              status.armed ? "Armed" : "Disarmed: turn the arm switch off, then on"
            }
          </span></p>`
      }
      ${
        status.receivers.length > 1
          ? html`
            <ul class="lines">
              ${status.receivers.map((each) => line(each, status.receiver))}
            </ul>
          `
          : facts(status.receivers[0] ?? status)
      }
      <div class="toolbar">
        <button class="button primary" type="button" data-calibrate ?disabled=${!mayOperate(app)}
          @click=${() => openCalibration(app)}
        >
          Calibrate…
        </button>
        <button class="button" type="button" data-drill ?disabled=${!mayOperate(app)}
          @click=${() => openDrill(app)}
        >
          Failsafe drill…
        </button>
      </div>
    </article>
  `;
}

/** @param {RcLine} line @param {string} active */
const line = (line, active) => html`
  <li>
    <h4>
      ${line.receiver === "primary" ? "Primary receiver" : "Secondary receiver"}
      <span class="quiet">${line.protocol.toUpperCase()} ${line.device}</span>
      ${
        line.receiver === active
          ? html`<span class="chip new"><i class="dot"></i>Active</span>`
          : nothing
      }
    </h4>
    ${facts(line)} ${line.reason ? html`<p class="quiet">${sentence(line.reason)}</p>` : nothing}
  </li>
`;

/** @param {RcLine | RcStatus} line */
function facts(line) {
  const hasLink = line.rssi !== 0 || line.link_quality !== 0;
  return html`
    <dl class="link-facts">
      ${fact("Frames", html`${fixed(line.frame_rate_hz, 0)} <small>frames/s</small>`)}
      ${hasLink ? fact("Link quality", html`${line.link_quality} <small>%</small>`) : nothing}
      ${
        hasLink
          ? fact("Signal", html`${fixed(line.rssi, 0)} <small>dBm, ${strength(line.rssi)}</small>`)
          : nothing
      }
      ${fact(
        "Losses",
        html`${line.losses} <small>of the signal, ${line.lost_frames} frames</small>`,
      )}
      ${fact(
        "Rejected",
        html`${line.rejected} <small>frames, ${line.discarded_bytes} bytes of noise</small>`,
      )}
      ${fact("Failsafe", html`${line.failsafe ? "Active" : "No"}`)}
    </dl>
  `;
}

/** @param {string} name @param {unknown} value */
const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** @param {number} dbm */
function strength(dbm) {
  if (dbm >= -70) return "strong";
  return dbm >= -90 ? "fair" : "weak";
}

/** @param {string} text */
export const sentence = (text) =>
  text.charAt(0).toUpperCase() + text.slice(1) + (text.endsWith(".") ? "" : ".");
