// The first steps on a robot where no node has a role yet: what is done, and where the rest is
// done. It comes and goes between visits of the page only, so that nothing jumps. Not here: who
// took a step.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { prefer, preference } from "../../lib/preferences.js";
import { hasTaken } from "../../lib/robot/first-steps.js";
import { rolesOf } from "../../lib/robot/nodes.js";
import { icon } from "../../parts/icons.js";

/** @typedef {import("../../context.js").With<"draw" | "store">} App */

const STAGES = /** @type {const} */ (["new", "begun", "over"]);
const NEEDED = 3; // the first ones; driving and a backup can wait

class FirstSteps {
  /** null: the robot has not told of its nodes since the page was opened. @type {boolean | null} */
  #isShown = null;

  open() {
    this.#isShown = null;
  }

  /** @param {App} app */
  isShown(app) {
    const { nodes } = app.store.data;
    if (this.#isShown === null && nodes && !nodes.problem) this.#isShown = this.#isDue(app);
    return this.#isShown ?? false;
  }

  /**
   * They begin where no node has a role; whoever meets a robot in use never sees them.
   * @param {App} app
   */
  #isDue(app) {
    const stage = preference("first-steps", "new", STAGES);
    if (stage === "over" || (stage === "new" && hasRole(app))) return false;
    const isDone = steps(app)
      .slice(0, NEEDED)
      .every((step) => step.isDone);
    prefer("first-steps", isDone ? "over" : "begun");
    return !isDone;
  }

  /** @param {App} app */
  dismiss(app) {
    prefer("first-steps", "over");
    this.#isShown = false;
    app.draw();
  }
}

export const firstSteps = new FirstSteps();

/** @param {App} app */
const hasRole = (app) =>
  app.store.data.nodes?.nodes.some((node) => rolesOf(node).length > 0) ?? false;

/** @param {App} app */
function hasInput(app) {
  const data = app.store.data.inputs;
  if (!data) return false;
  const hears = data.rc && data.rc.connected !== false && !data.rc.failsafe;
  const all = [data.livelink, data.autonomous, data.websocket];
  return Boolean(hears) || all.some((sources) => sources.length > 0);
}

/** @param {App} app */
const steps = (app) => [
  { text: "Give a node its role", href: "#/nodes", isDone: hasRole(app) },
  {
    text: "Connect an input: a receiver, a face, a gamepad",
    href: "#/inputs",
    isDone: hasInput(app),
  },
  { text: "Look at the routes: what drives what", href: "#/routes", isDone: hasTaken("routes") },
  { text: "Test the stop, before it drives", href: "#/stop-test/stop", isDone: hasTaken("drill") },
  { text: "Drive it", href: "#/drive", isDone: hasTaken("drive") },
  { text: "Make a backup", href: "#/settings/backup", isDone: hasTaken("backup") },
];

/** @param {App} app */
export function firstStepsCard(app) {
  if (!firstSteps.isShown(app)) return nothing;
  return html`
    <section class="card first-steps" aria-labelledby="first-steps-title">
      <header>
        <h2 id="first-steps-title">First steps</h2>
        <button class="button plain small" type="button" @click=${() => firstSteps.dismiss(app)}>
          Dismiss
        </button>
      </header>
      <ol>
        ${steps(app).map(
          ({ text, href, isDone }) => html`
            <li class=${isDone ? "is-done" : ""}>
              ${isDone ? icon("done", 20) : html`<i class="open-step" aria-hidden="true"></i>`}
              <a href=${href}>${text}</a>
              <span class=${isDone ? "quiet" : "hidden"}>${isDone ? "done" : "to do"}</span>
            </li>
          `,
        )}
      </ol>
    </section>
  `;
}
