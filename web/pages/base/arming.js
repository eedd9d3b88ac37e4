// Whether the motors may turn: the state, who drives, what prevents arming, and the two buttons.
// Arming is a deliberate act: its button is held for a second, by pointer or by the Enter key.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { prevent } from "../../lib/events.js";
import { sourceName } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./state.js").Wagon} Wagon */

const HOLD_MS = 1000;
/** @type {Record<string, [look: string, text: string]>} */
const STATES = {
  armed: ["warn", "Armed: motors may turn"],
  disarmed: ["good", "Disarmed"],
  failsafe: ["bad", "RC signal lost"],
  estop: ["bad", "Stopped"],
  tilt: ["bad", "Tilted too far"],
  fault: ["bad", "Fault"],
  silent: ["bad", "Board does not report"],
  absent: ["bad", "No role drives the wagon"],
};
/** @type {Record<string, string>} */
const DRIVERS = {
  rc: "The pilot (RC)",
  assisted: "The computer, assisted",
  autonomous: "The computer",
};

const hold = { since: 0, timer: 0, isBusy: false, refusal: "" };

/** @param {App} app @param {Wagon} wagon @param {boolean} isStale */
export function arming(app, wagon, isStale) {
  const isArmed = wagon.state === "armed" && !isStale;
  const [look, text] = isStale ? ["bad", "Unknown"] : (STATES[wagon.state] ?? ["bad", "Unknown"]);
  const mayArm = !isStale && !isArmed && !wagon.prevents.length && mayOperate(app);
  if (hold.since && !mayArm) release(app);
  return html`
    <section class="card base-arming" aria-labelledby="arming-title">
      <header>
        <h2 id="arming-title">Arming</h2>
        <span class="chip ${look}" role="status" data-armed=${isArmed}>
          <i class="dot"></i>${text}
        </span>
      </header>
      <dl class="base-facts">
        <div>
          <dt>${isArmed ? "Drives" : "Would drive"}</dt>
          <dd data-driver=${wagon.mode}>${driver(app, wagon, isStale)}</dd>
        </div>
        <div>
          <dt>Commands</dt>
          <dd data-why>${wagon.why ? `No effect: ${wagon.why}` : "Take effect"}</dd>
        </div>
      </dl>
      ${isArmed ? nothing : obstacles(wagon)}
      ${
        hold.refusal
          ? html`<p class="refusal" role="alert" data-refusal>${hold.refusal}</p>`
          : nothing
      }
      <div class="base-actions">
        <button
          class="button primary base-arm ${hold.since ? "is-held" : ""}"
          type="button"
          data-arm
          data-moves
          ?disabled=${!mayArm || hold.isBusy}
          @pointerdown=${(/** @type {PointerEvent} */ event) => touched(app, event)}
          @pointerup=${() => release(app)}
          @pointerleave=${() => release(app)}
          @pointercancel=${() => release(app)}
          @blur=${() => release(app)}
          @keydown=${(/** @type {KeyboardEvent} */ event) => pressed(app, event)}
          @keyup=${() => release(app)}
          @contextmenu=${prevent}
        >
          ${hold.isBusy ? "Arming…" : hold.since ? "Keep holding…" : "Hold to arm"}
        </button>
        <button class="button danger" type="button" data-disarm @click=${() => disarm(app)}>
          Disarm
        </button>
      </div>
      <small class="quiet">
        After arming 23 kg may move: stand clear, with the transmitter in hand. The red stop and
        the pilot's arm switch always work.
      </small>
    </section>
  `;
}

/** @param {App} app @param {Wagon} wagon @param {boolean} isStale */
function driver(app, wagon, isStale) {
  if (isStale || !wagon.mode) return "Not known";
  const fields = app.store.data.outputs?.fields ?? [];
  const live = fields.find(({ target, policy }) => target === "wagon" && policy === "live");
  const own = `websocket:${app.api.session.client_id}`;
  const isComputer = wagon.mode !== "rc" && live?.source;
  const who = live?.source === own ? "this page" : sourceName(live?.source ?? "");
  return `${DRIVERS[wagon.mode] ?? wagon.mode}${isComputer ? `: ${who}` : ""}`;
}

/** @param {Wagon} wagon */
function obstacles({ prevents }) {
  if (!prevents.length)
    return html`<p class="base-ready" data-prevents="0">Nothing prevents arming.</p>`;
  return html`
    <div data-prevents=${prevents.length}>
      <h3>Prevents arming</h3>
      <ul class="base-prevents">
        ${prevents.map((each) => {
          const [name, ...rest] = each.split(": ");
          return html`<li data-prevent=${name}><b>${name}</b> ${rest.join(": ")}</li>`;
        })}
      </ul>
    </div>
  `;
}

/**
 * A finger that slides off leaves the button, as a mouse does.
 * @param {App} app @param {PointerEvent} event
 */
function touched(app, event) {
  if (event.button !== 0) return;
  const button = /** @type {HTMLElement} */ (event.currentTarget);
  if (button.hasPointerCapture(event.pointerId)) button.releasePointerCapture(event.pointerId);
  begin(app);
}

/** A key that is held repeats. @param {App} app @param {KeyboardEvent} event */
function pressed(app, event) {
  if (event.key === "Enter" && !event.repeat) begin(app);
}

/** @param {App} app */
function begin(app) {
  if (hold.since || hold.isBusy) return;
  hold.refusal = "";
  hold.since = performance.now();
  hold.timer = setTimeout(() => arm(app), HOLD_MS);
  app.draw();
}

/** @param {App} app */
export function release(app) {
  if (!hold.since) return;
  clearTimeout(hold.timer);
  hold.since = 0;
  app.draw();
}

/** @param {App} app */
async function arm(app) {
  hold.since = 0;
  await request(app, "arm");
}

/** @param {App} app */
async function disarm(app) {
  release(app);
  await request(app, "disarm");
}

/** @param {App} app @param {"arm" | "disarm"} action */
async function request(app, action) {
  hold.isBusy = action === "arm";
  hold.refusal = "";
  app.draw();
  try {
    await app.api.request("wagon", action, {});
  } catch (err) {
    hold.refusal = sentenceOf(err);
  }
  hold.isBusy = false;
  app.draw();
}
