// The tab "RC": receivers, channels, and the ways to set them up.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../../lib/format.js";
import { mayOperate, viewerNotice } from "../../../lib/levels.js";
import { watches } from "../watches.js";
import { openCalibration } from "./calibration.js";
import { channels } from "./channels.js";
import { openDrill } from "./failsafe-drill-dialog.js";
import { failsafeForm } from "./failsafe-form.js";
import { protocolForm } from "./protocol-form.js";
import { condition } from "./receiver.js";

/** @typedef {import("../../../context.js").App} App */
/** @typedef {import("../../../lib/types.js").RcLine} RcLine */
/** @typedef {import("../../../lib/types.js").RcStatus} RcStatus */

const TOLD = {
  hold: "The robot holds: positions stay, wheels rest, nobody else takes over.",
  neutral: "The robot goes to neutral, wheels rest.",
  estop: "The emergency stop was raised.",
  passthrough: "The robot was let go: other inputs may drive it.",
};

/** @param {App} app */
export function rc(app) {
  const { data: status, problem } = watches.status;
  if (!status) return problem ? silent(problem) : html`<div class="card skeleton rc-wait"></div>`;
  return html`
    ${viewerNotice(app)} ${problem ? silent(problem) : nothing}
    <div class="rc-grid" ?data-stale=${Boolean(problem)}>
      <section aria-labelledby="receiver-title">
        <div class="section-head"><h2 id="receiver-title">Receiver</h2>${enable(app, status)}</div>
        ${receiver(app, status)}
      </section>
      ${channels(app, status)}
      <section aria-labelledby="setup-title">
        <div class="section-head"><h2 id="setup-title">Setting up</h2></div>
        <div class="setup">${protocolForm(app, status)} ${failsafeForm(app)}</div>
      </section>
    </div>
  `;
}

/** @param {import("../../../lib/api.js").ApiError} problem */
const silent = ({ message, fix }) => html`
  <div class="notice" role="alert">
    <strong>The receiver's service does not answer:</strong> ${message} ${fix}
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
    watches.status.look(app);
  }
  return html`
    <button
      class="button small"
      type="button"
      data-enable
      ?disabled=${!mayOperate(app)}
      @click=${toggle}
    >
      ${status.enabled ? "Switch off" : "Switch on"}
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
      ${status.told ? html`<p class="told" role="status">${TOLD[status.told]}</p>` : nothing}
      ${
        status.calibrating
          ? html`<p class="told">A calibration runs: the sticks move nothing.</p>`
          : nothing
      }
      ${!has && status.reason ? html`<p class="quiet">${sentence(status.reason)}</p>` : nothing}
      ${
        status.armed === null
          ? nothing
          : html`<p><span class="chip ${status.armed ? "good" : "warn"}" data-armed=${status.armed}>
            <i class="dot"></i>${
              status.armed ? "Armed" : "Disarmed: move the arm switch off, then on"
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

/** @param {RcLine} line @param {string} inCharge */
const line = (line, inCharge) => html`
  <li>
    <h4>
      ${line.receiver === "primary" ? "First receiver" : "Second receiver"}
      <span class="quiet">${line.protocol.toUpperCase()} ${line.device}</span>
      ${
        line.receiver === inCharge
          ? html`<span class="chip new"><i class="dot"></i>In charge</span>`
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
      ${fact("Frames", html`${fixed(line.frame_rate_hz, 0)} <small>per second</small>`)}
      ${hasLink ? fact("Link quality", html`${line.link_quality} <small>%</small>`) : nothing}
      ${
        hasLink
          ? fact("Signal", html`${fixed(line.rssi, 0)} <small>dBm, ${strength(line.rssi)}</small>`)
          : nothing
      }
      ${fact("Lost frames", html`${"lost_frames" in line ? line.lost_frames : 0}`)}
      ${fact(
        "Refused",
        html`${line.rejected} <small>frames, ${line.discarded_bytes} bytes of noise</small>`,
      )}
      ${fact("Failsafe", html`${line.failsafe ? "In force" : "No"}`)}
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
