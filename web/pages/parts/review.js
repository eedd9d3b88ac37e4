// What a robot's text would change, as the robot checks it, and the button that puts it in force.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { changeList } from "./frame.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotReview} RobotReview */

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
      ${found.warnings.map((each) => html`<p class="quiet"><strong>Warning:</strong> ${each}.</p>`)}
      ${
        found.refusal
          ? html`<p class="refusal" role="alert"><strong>Refused now:</strong> ${found.refusal}</p>`
          : nothing
      }
      ${actions}
    </div>
  `;
}
