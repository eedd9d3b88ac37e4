// The shipped robots: what each would change, and to start from one.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { Fetched } from "../../lib/fetched.js";
import { targetName } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { framed } from "./frame.js";
import { Review, reviewView } from "./review.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotTemplate} RobotTemplate */

const review = new Review();
const templates = new Fetched((api) => api.request("robot", "templates"));

/** @param {App} app */
export function templatesView(app) {
  const list = templates.get(app)?.templates;
  const content = html`
    <p class="quiet parts-summary">
      Robots that are shipped with the release. Yours stays in the list of versions.
    </p>
    ${
      list
        ? html`<ul class="parts-choices">${list.map((each) => choice(app, each))}</ul>`
        : html`<p class="quiet" role="status">Loading…</p>`
    }
  `;
  return framed("/parts/templates", nothing, content);
}

/** @param {App} app @param {RobotTemplate} template */
function choice(app, { name, about, roles, parts }) {
  const isOpen = review.of === name;
  const load = async () => (await app.api.request("robot", "template", { name })).text;
  return html`
    <li class="card" data-template=${name}>
      <header>
        <div>
          <h2>${name}</h2>
          <p>${about}</p>
          <p class="quiet">${parts} outputs: ${roles.map(targetName).join(", ")}</p>
        </div>
        <button
          class="button"
          type="button"
          aria-expanded=${isOpen}
          @click=${() => (isOpen ? (review.close(), app.draw()) : review.check(app, name, load))}
        >
          ${isOpen ? "Close" : "Differences"}
        </button>
      </header>
      ${
        isOpen
          ? reviewView(
              review,
              html`<p class="refusal" role="alert">${review.found?.problem}</p>`,
              isAdmin(app) ? use(app, name) : nothing,
            )
          : nothing
      }
    </li>
  `;
}

/** @param {App} app @param {string} name */
const use = (app, name) => html`
  <button
    class="button primary"
    type="button"
    data-use
    ?disabled=${!review.isReady || state.isBusy}
    @click=${() =>
      askConfirmation(app, {
        title: `Start from ${name}?`,
        text: `The robot becomes the template ${name}. Versions can bring the present one back.`,
        verb: "Start from it",
        work: async () => {
          const work = (/** @type {number} */ base) =>
            app.api.request("robot", "use_template", { name, base });
          await state.change(app, work, review.restarts);
          review.close();
        },
      })}
  >
    Start from this robot
  </button>
`;
