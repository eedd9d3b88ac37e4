// A change of the robot before it is in force: what a text would change, as the robot checks it,
// and the row with a note and the button that puts a change in force.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { withValue } from "../../lib/events.js";
import { errorLine } from "../../parts/dialog.js";
import { changeList, warningList } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotReview} RobotReview */
/** @typedef {import("../../lib/types.js").RobotApplied} RobotApplied */

/** A text with what the robot says about it. */
export class Review {
  of = ""; // which text: "version 3", "template rover"
  text = "";
  isBusy = false;
  problem = ""; // why the check failed
  /** @type {RobotReview | null} */ found = null;

  /**
   * Load a text and check it.
   * @param {App} app @param {string} of @param {() => Promise<string>} load
   */
  async check(app, of, load) {
    Object.assign(this, { of, text: "", isBusy: true, problem: "", found: null });
    app.draw();
    try {
      const text = await load();
      const found = await app.api.request("robot", "check", { text });
      if (this.of === of) Object.assign(this, { text, found });
    } catch (err) {
      this.problem = sentenceOf(err);
    }
    this.isBusy = false;
    app.draw();
  }

  /** Whether the text can be put in force. */
  get isReady() {
    const { found } = this;
    return Boolean(found && !found.problem && !found.refusal && found.changes.length);
  }

  /** Whether router and pages start again with it. */
  get restarts() {
    return Boolean(this.found?.notes.some((note) => note.includes("router")));
  }

  close() {
    Object.assign(this, { of: "", text: "", found: null, problem: "" });
  }
}

/** A change that a person prepares. */
export class RobotChange {
  note = ""; // for the list of versions
  refusal = ""; // why the robot did not take it

  /**
   * Put the change in force; false: it was refused.
   * @param {App} app
   * @param {(base: number, note: string) => Promise<RobotApplied>} work
   * @param {boolean} restarts router and pages start again
   */
  async apply(app, work, restarts) {
    this.refusal = "";
    try {
      await state.change(app, (base) => work(base, this.note), restarts);
      this.note = "";
    } catch (err) {
      this.refusal = sentenceOf(err);
    }
    app.draw();
    return !this.refusal;
  }
}

/**
 * The row under a change: its note and its button. Without `press` the button submits its form.
 * @param {RobotChange} change
 * @param {{name: string, verb: string, busy: string, isOff: boolean, press?: () => void,
 *   fields?: unknown, more?: unknown, isShownElsewhere?: boolean}} row `fields` before the note,
 *   `more` buttons; a refusal that is shown at its field is not repeated
 */
export const applyRow = (change, row) => html`
  <div class="part-save">
    ${row.fields ?? nothing}
    <label class="entry">
      <span>Note <small class="quiet">for the list of versions</small></span>
      <input
        name="note"
        maxlength="120"
        .value=${change.note}
        @input=${withValue((value) => (change.note = value))}
      >
    </label>
    <button
      class="button primary"
      type=${row.press ? "button" : "submit"}
      data-save
      data-apply=${row.name}
      ?disabled=${state.isBusy || row.isOff}
      @click=${row.press ?? nothing}
    >
      ${state.isBusy ? row.busy : row.verb}
    </button>
    ${row.more ?? nothing}
  </div>
  ${change.refusal && !row.isShownElsewhere ? errorLine(change.refusal, "Refused") : nothing}
`;

/**
 * @param {Review} review
 * @param {unknown} fault how a fault in the text is shown
 * @param {unknown} actions
 */
export function reviewView(review, fault, actions) {
  const { found } = review;
  if (review.isBusy) return html`<p class="quiet" role="status">Checking…</p>`;
  if (review.problem) return html`<p class="refusal" role="alert">${review.problem}</p>`;
  if (!found) return nothing;
  if (found.problem) return fault;
  return html`
    <div class="parts-review" data-review role="status">
      <h3>${found.changes.length ? "What would change" : "Nothing would change."}</h3>
      ${changeList(found.changes)}
      ${
        found.notes.length
          ? html`<ul class="quiet">${found.notes.map((note) => html`<li>${note}</li>`)}</ul>`
          : nothing
      }
      ${warningList(found.warnings)}
      ${
        found.refusal
          ? html`<p class="refusal" role="alert"><strong>Refused now:</strong> ${found.refusal}</p>`
          : nothing
      }
      ${actions}
    </div>
  `;
}
