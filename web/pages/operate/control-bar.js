// The bar on the picture: the buttons that change control, who has it, delays, battery, and why
// something does not move. Buttons come first: what appears by itself moves none of them.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../lib/format.js";
import { isAdmin, mayOperate } from "../../lib/levels.js";
import { absence } from "../../lib/robot/nodes.js";
import { captureButtons, soundProblem } from "./sound-bar.js";

/**
 * @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "store" |
 *   "teleop">} App
 */
/** @typedef {import("../../lib/control/remote-link.js").RemoteLink} RemoteLink */
/** @typedef {import("./sound-bar.js").Act} Act */

const COMMAND_HINT = "From this page to the robot's server: half of the way there and back";
const PICTURE_HINT =
  "From the camera to this screen: age when sent, way through the network, buffer and decoder";

/**
 * @param {App} app @param {RemoteLink} link @param {string} refusal
 * @param {import("./capture.js").Recording} recording @param {Act} act
 */
export function controlBar(app, link, refusal, recording, act) {
  const { report } = link;
  const isCameraOn = Boolean(app.store.data.head?.camera_active);
  return html`
    <div class="bar">
      <div class="bar-row">
        <button
          class="button small"
          type="button"
          data-leave
          @click=${() => {
            link.close();
            app.draw();
          }}
        >
          Leave
        </button>
        ${buttons(app, link, act)} ${captureButtons(app, link, recording, act)}
        ${isCameraOn ? cameraSwitch(app, false, act) : nothing}
      </div>
      ${(report?.requests ?? []).map(([session, who]) => request(app, link, session, who, act))}
      <div class="bar-row">
        ${seat(link)}
        ${delay("Picture", link.pictureMs(app.now), [200, 400], PICTURE_HINT, "picture")}
        ${delay("Command", link.commandMs, [60, 150], COMMAND_HINT, "command")} ${speed(link)}
        ${battery(link)}
      </div>
      ${why(app, link, refusal)}
    </div>
  `;
}

/** @param {App} app @param {boolean} enable @param {Act} act */
export function cameraSwitch(app, enable, act) {
  if (!app.robot?.targets.head || !mayOperate(app)) return nothing;
  return html`
    <button
      class="button small"
      type="button"
      data-camera-switch
      @click=${() => act(app, () => app.api.request("head", "camera", { enable }))}
    >
      ${enable ? "Turn camera on" : "Turn camera off"}
    </button>
  `;
}

/** @param {RemoteLink} link */
function seat(link) {
  const { report } = link;
  if (link.state !== "open") return chip("bad", "No link");
  if (report?.seat === "operator") return chip("good", "You have control");
  return report?.operator
    ? chip("warn", `${report.operator} has control`)
    : chip("idle", "Nobody has control");
}

/** @param {string} look @param {string} text */
const chip = (look, text) =>
  html`<span class="chip ${look}" role="status" data-control><i class="dot"></i>${text}</span>`;

/**
 * @param {string} name @param {number | null} ms @param {[warn: number, bad: number]} limits
 * @param {string} hint @param {string} key
 */
function delay(name, ms, [warn, bad], hint, key) {
  const look = ms === null ? "idle" : ms >= bad ? "bad" : ms >= warn ? "warn" : "good";
  return html`<span class="chip ${look}" title=${hint} data-delay=${key}>
    ${name} <b class="number">${ms === null ? "–" : fixed(ms, 0)}</b> ms
  </span>`;
}

/** The top speed that the delay leaves, when it leaves less. @param {RemoteLink} link */
function speed({ report }) {
  const share = report?.speed_share ?? 1;
  if (report?.seat !== "operator" || share >= 1) return nothing;
  const text = `The delay of ${fixed(report?.delay_ms ?? 0, 0)} ms slows the robot down`;
  return html`<span class="chip ${share > 0 ? "warn" : "bad"}" title=${text} data-speed>
    Top speed <b class="number">${fixed(share * 100, 0)}</b> %
  </span>`;
}

/** @param {RemoteLink} link */
function battery({ report }) {
  const percent = report?.battery_percent ?? null;
  const volts = report?.battery_v ?? null;
  if (percent === null && volts === null)
    return html`<span class="chip idle" data-battery>Battery unknown</span>`;
  const look = percent === null ? "idle" : percent < 10 ? "bad" : percent < 25 ? "warn" : "good";
  return html`<span class="chip ${look}" data-battery>
    Battery
    ${percent === null ? nothing : html`<b class="number">${fixed(percent, 0)}</b> %`}
    ${volts === null ? nothing : html`<b class="number">${fixed(volts, 1)}</b> V`}
  </span>`;
}

/** @param {App} app @param {RemoteLink} link @param {string} refusal */
function why(app, link, refusal) {
  const { estop } = app.store.data.system ?? {};
  const away = app.robot?.base ? absence(app, app.robot.base) : null;
  const text =
    refusal ||
    (estop?.active && "Emergency stop: nothing moves until it is cleared.") ||
    (away && link.isOperator && `${away.text}, so driving moves nothing.`) ||
    link.report?.why ||
    soundProblem(link) ||
    link.report?.room;
  return text ? html`<p class="bar-why" role="status" data-why>${text}</p>` : nothing;
}

/**
 * @param {App} app @param {RemoteLink} link @param {string} session @param {string} who
 * @param {Act} act
 */
const request = (app, link, session, who, act) => html`
  <p class="bar-why" role="alert" data-request=${session}>
    ${who} requests control.
    <button
      class="button small"
      type="button"
      data-grant
      @click=${() => act(app, () => link.grant(session))}
    >
      Grant control
    </button>
  </p>
`;

/** @param {App} app @param {RemoteLink} link @param {Act} act */
function buttons(app, link, act) {
  if (!mayOperate(app) || link.state !== "open") return nothing;
  const button = (
    /** @type {string} */ key,
    /** @type {string} */ text,
    /** @type {() => Promise<unknown>} */ work,
  ) => html`<button
    class="button small"
    type="button"
    data-seat-action=${key}
    @click=${() => act(app, work)}
  >
    ${text}
  </button>`;
  if (link.isOperator)
    return button("release", "Release control", () => link.control("release_control"));
  const isFree = !link.report?.operator;
  const ask = button("request", isFree ? "Take control" : "Request control", () =>
    link.control("request_control"),
  );
  if (isFree || !isAdmin(app)) return ask;
  const force = button("force", "Take control now", () =>
    link.control("request_control", { force: true }),
  );
  return html`${ask} ${force}`;
}
