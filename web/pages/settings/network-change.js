// How the last change of the server's name or network goes. What leads nowhere is taken back by the
// server itself; that is shown here, also after this page had lost the robot.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").MachineChange} Change */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").Answers} Answers */

const LOOK_MS = 2000;
const LONGEST_MS = 100_000;

const watch = { timer: 0, untilMs: 0, said: "", beganAt: -1 };

const KINDS = { trying: "is-quiet", done: "is-quiet", taken_back: "", refused: "" };

/** @param {App} app @param {Answers} answers @param {Change} change */
export function lastChange(app, answers, change) {
  if (change.state === "trying" && !watch.timer) begin(app, answers, "", -1);
  const isTrying = watch.said || change.state === "trying";
  const text = watch.said || change.message;
  if (!text) return nothing;
  const state = isTrying ? "trying" : change.state;
  return html`
    <div class="notice ${state ? KINDS[state] : ""}" role="status" data-change=${state}>
      ${state === "taken_back" ? html`<strong>The network was changed back.</strong> ` : nothing}
      ${state === "refused" ? html`<strong>The change did not work.</strong> ` : nothing} ${text}
      ${isTrying ? html`<span class="quiet">Waiting for the server…</span>` : nothing}
    </div>
  `;
}

/** @param {Settings} known */
export const isWaiting = (known) => Boolean(watch.said) || known.change.state === "trying";

/**
 * Look until the change has ended, also over a lost connection.
 * @param {App} app
 * @param {Answers} answers
 * @param {string} said
 */
export const follow = (app, answers, said) =>
  begin(app, answers, said, answers.data.robot?.change.begun_s ?? -1);

/**
 * @param {App} app
 * @param {Answers} answers
 * @param {string} said
 * @param {number} beganAt of the change before
 */
function begin(app, answers, said, beganAt) {
  Object.assign(watch, { said, untilMs: Date.now() + LONGEST_MS, beganAt });
  clearTimeout(watch.timer);
  watch.timer = setTimeout(() => look(app, answers), LOOK_MS);
}

/** @param {App} app @param {Answers} answers */
async function look(app, answers) {
  if (app.api.state === "open") await answers.ask(app, "robot");
  const change = answers.data.robot?.change;
  const hasEnded = change && change.begun_s !== watch.beganAt && change.state !== "trying";
  if (hasEnded || Date.now() > watch.untilMs) Object.assign(watch, { said: "", timer: 0 });
  else watch.timer = setTimeout(() => look(app, answers), LOOK_MS);
  app.draw();
}

/** @param {unknown} err */
export const sentence = (err) => sentenceOf(err).replace(/^params\./, "");
