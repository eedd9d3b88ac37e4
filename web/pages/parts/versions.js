// The stored versions of the robot: what each differs in from the one in force; the return to it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { lately } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { framed } from "./frame.js";
import { Review, reviewView } from "./review.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotVersion} RobotVersion */

const review = new Review();
const stored = {
  /** @type {RobotVersion[] | null} */ list: null,
  of: -1, // version in force when the list was requested
  problem: "",
};

/** @param {App} app */
async function load(app) {
  stored.of = state.version;
  try {
    stored.list = (await app.api.request("robot", "versions")).versions;
    stored.problem = "";
  } catch (err) {
    stored.problem = sentenceOf(err);
  }
  app.draw();
}

/** @param {App} app */
export function versionsView(app) {
  if (state.parts && stored.of !== state.version && app.api.state === "open") void load(app);
  return framed("/parts/versions", nothing, content(app));
}

/** @param {App} app */
function content(app) {
  if (stored.problem) return html`<p class="refusal" role="alert">${stored.problem}</p>`;
  if (!stored.list) return html`<p class="quiet" role="status">Loading…</p>`;
  if (!stored.list.length)
    return html`<div class="card empty">
      <h2>No version yet</h2>
      <p>The shipped template is in force. Each change of the robot becomes a version.</p>
    </div>`;
  return html`
    <ul class="card parts-versions">${stored.list.map((each) => version(app, each))}</ul>
  `;
}

/** @param {App} app @param {RobotVersion} each */
function version(app, { number, note, person, saved, is_in_force: isInForce }) {
  const of = String(number);
  const isOpen = review.of === of;
  const get = async () => (await app.api.request("robot", "version", { number })).text;
  return html`
    <li data-version=${number}>
      <div class="parts-version">
        <b class="number">${number}</b>
        <span class="version-note">${note || "no note"}</span>
        <span class="quiet">${lately(Date.parse(saved) / 1000)}${person ? `, ${person}` : ""}</span>
        ${
          isInForce
            ? html`<span class="chip good"><i class="dot"></i>In force</span>`
            : html`<button
              class="button small"
              type="button"
              aria-expanded=${isOpen}
              @click=${() => (isOpen ? (review.close(), app.draw()) : review.check(app, of, get))}
            >
              ${isOpen ? "Close" : "Differences"}
            </button>`
        }
      </div>
      ${
        isOpen
          ? reviewView(
              review,
              html`<p class="refusal" role="alert">${review.found?.problem}</p>`,
              isAdmin(app) ? returnTo(app, number) : nothing,
            )
          : nothing
      }
    </li>
  `;
}

/** @param {App} app @param {number} number */
const returnTo = (app, number) => html`
  <button
    class="button primary"
    type="button"
    data-return
    ?disabled=${!review.isReady || state.isBusy}
    @click=${() =>
      askConfirmation(app, {
        title: `Return to version ${number}?`,
        text: "It is put in force as a new version; the present one stays in the list.",
        verb: "Return to it",
        work: async () => {
          const work = (/** @type {number} */ base) =>
            app.api.request("robot", "undo", { number, base });
          await state.change(app, work, review.restarts);
          review.close();
        },
      })}
  >
    Return to this version
  </button>
`;
