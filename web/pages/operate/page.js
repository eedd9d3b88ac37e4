// The page "Remote": the robot's picture over the whole window, with sticks, keys or game pad on
// it. Commands travel over the WebRTC link, not over the page's WebSocket.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { RemoteLink } from "../../lib/control/remote-link.js";
import { mayOperate, viewerNotice } from "../../lib/levels.js";
import { Recording } from "./capture.js";
import { controlBar } from "./control-bar.js";
import { talkButton } from "./sound-bar.js";
import { stage } from "./stage.js";

/**
 * @typedef {import("../../context.js").With<"api" | "draw" | "now" | "robot" | "stopKeys" |
 *   "store" | "teleop">} App
 */

/** @type {{link: RemoteLink | null, refusal: string, recording: Recording}} */
const state = { link: null, refusal: "", recording: new Recording(() => {}) };

/** @param {App} app */
function view(app) {
  const { link } = state;
  const isShown = link?.isReturning || link?.report;
  if (!link || link.state === "closed" || (link.state === "lost" && !isShown))
    return start(app, link?.problem ?? "");
  if (link.state === "connecting" && !isShown) return waiting(app, link);
  return html`
    <div class="remote" data-link=${link.state} data-seat=${link.report?.seat ?? ""}>
      ${stage(app, link, act)} ${controlBar(app, link, state.refusal, state.recording, act)}
      ${talkButton(link)}
    </div>
  `;
}

/** @param {App} app @param {string} problem */
const start = (app, problem) => html`
  <div class="page-head"><h1>Remote</h1></div>
  ${viewerNotice(app)}
  <div class="card remote-start" data-link="closed">
    <p>
      See through the robot's camera and drive it. One person has control; others watch.
    </p>
    ${problem ? html`<p class="wrong" role="alert">${problem}</p>` : nothing}
    <div class="actions">
      ${
        mayOperate(app)
          ? html`<button
              class="button primary"
              type="button"
              data-operate
              ?disabled=${app.api.state !== "open"}
              @click=${() => connect(app, true)}
            >
              Operate the robot
            </button>`
          : nothing
      }
      <button
        class="button"
        type="button"
        data-watch
        ?disabled=${app.api.state !== "open"}
        @click=${() => connect(app, false)}
      >
        Watch
      </button>
    </div>
    <p class="quiet">
      Keys: W A S D or arrows drive, I J K L turn the head, T held speaks. A game pad drives while
      L1 or R1 is held. The robot stops when this page is hidden, loses the focus or its link.
    </p>
  </div>
`;

/** @param {App} app @param {RemoteLink} link */
const waiting = (app, link) => html`
  <div class="page-head"><h1>Remote</h1></div>
  <div class="card remote-start" role="status" data-link="connecting">
    <p>Connecting to the robot…</p>
    <div class="actions">
      <button
        class="button"
        type="button"
        @click=${() => {
          link.close();
          app.draw();
        }}
      >
        Cancel
      </button>
    </div>
  </div>
`;

/** @param {App} app @param {boolean} wantsControl */
function connect(app, wantsControl) {
  state.refusal = "";
  state.link?.close();
  state.recording = new Recording(app.draw);
  const link = (state.link = new RemoteLink(
    () => /** @type {import("../../lib/api.js").Api} */ (app.api),
    app.draw,
    () => app.teleop.release(),
  ));
  app.teleop.outlet = link;
  app.teleop.onRest = link.rest;
  link.isHeld = () => app.teleop.isHeld;
  link.connect(wantsControl);
}

/**
 * Carry out a change of control, and show why it was refused.
 * @param {import("../../context.js").With<"draw">} app
 * @param {() => Promise<unknown>} work
 */
async function act(app, work) {
  state.refusal = "";
  try {
    await work();
  } catch (err) {
    state.refusal = sentenceOf(err);
  }
  app.draw();
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { head: 10, outputs: 10, nodes: 0 },
  view,
  open(app) {
    app.teleop.gaze = () => ({
      pan: app.store.data.head?.pan ?? 0,
      tilt: app.store.data.head?.tilt ?? 0,
    });
    app.teleop.open();
  },
  close(app) {
    app.teleop.close();
    state.recording.stop();
    state.link?.close();
    state.link = null;
    app.teleop.outlet = app.api;
  },
};
