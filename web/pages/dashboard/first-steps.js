// The card with the first steps on a robot where no node has a role. It appears and disappears only
// between visits, so that the page does not jump. Not here: recording a step
// (lib/robot/first-steps.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { prefer, preference } from "../../lib/preferences.js";
import { isStepDone } from "../../lib/robot/first-steps.js";
import { rolesOf } from "../../lib/robot/nodes.js";
import { icon } from "../../parts/icons.js";

/** @typedef {import("../../context.js").With<"draw" | "store">} App */

const STAGES = /** @type {const} */ (["new", "begun", "over"]);
const NEEDED = 3; // the first steps; the others do not keep the card open

class FirstSteps {
  /** null: nodes and inputs are not known since the page was opened. @type {boolean | null} */
  #isShown = null;

  open() {
    this.#isShown = null;
  }

  /** @param {App} app */
  isShown(app) {
    const { inputs, nodes } = app.store.data; // both say which steps are done
    const isKnown = inputs && nodes && !nodes.problem;
    if (this.#isShown === null && isKnown) this.#isShown = this.#isDue(app);
    return this.#isShown ?? false;
  }

  /**
   * Show the steps if no node has a role at the first visit, until the needed ones are done.
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
  const hasRc = data.rc && data.rc.connected !== false && !data.rc.failsafe;
  const all = [data.livelink, data.autonomous, data.websocket];
  return Boolean(hasRc) || all.some((sources) => sources.length > 0);
}

/** @param {App} app */
const steps = (app) => [
  { text: "Adopt a node in a role", href: "/nodes", isDone: hasRole(app) },
  {
    text: "Connect an input: RC receiver, LiveLink or game pad",
    href: "/inputs",
    isDone: hasInput(app),
  },
  {
    text: "Check the routes from inputs to outputs",
    href: "/routes",
    isDone: isStepDone("routes"),
  },
  {
    text: "Test the stop before you drive",
    href: "/stop-test",
    isDone: isStepDone("drill"),
  },
  { text: "Drive the robot", href: "/drive", isDone: isStepDone("drive") },
  { text: "Download a backup", href: "/settings/backup", isDone: isStepDone("backup") },
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
