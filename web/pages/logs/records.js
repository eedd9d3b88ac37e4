// Lists of records: the activity log, and for admins the audit log.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { day, exactly, isNewDay } from "./view.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */

const PAGE = 100;

/** @typedef {{time: number, level: string, source: string, text: string}} Entry */

/** A list that is loaded in pages. */
export class RecordPages {
  /** @type {Entry[]} */ entries = [];
  isLoading = false;
  isLoaded = false;
  hasMore = false;
  failure = "";

  /**
   * @param {(app: App, offset: number, limit: number) => Promise<Entry[]>} request newest first
   * @param {string} empty text of the empty list
   */
  constructor(request, empty) {
    this.request = request;
    this.empty = empty;
  }

  /** @param {App} app @param {boolean} [isMore] */
  async load(app, isMore = false) {
    if (this.isLoading) return;
    Object.assign(this, { isLoading: true, failure: "" });
    app.draw();
    try {
      const before = isMore ? this.entries : [];
      const found = await this.request(app, before.length, PAGE);
      Object.assign(this, {
        entries: [...before, ...found],
        hasMore: found.length === PAGE,
        isLoaded: true,
      });
    } catch (err) {
      this.failure = sentenceOf(err);
    }
    this.isLoading = false;
    app.draw();
  }
}

/** @param {App} app @param {RecordPages} records */
export function recordList(app, records) {
  if (records.failure) {
    return html`<div class="notice log-notice" role="alert">
      <strong>Loading failed.</strong> ${records.failure}
      <button class="button small" type="button" @click=${() => records.load(app)}>
        Try again
      </button>
    </div>`;
  }
  if (!records.isLoaded) return html`<div class="card skeleton log-skeleton"></div>`;
  if (!records.entries.length) {
    return html`<div class="card empty"><h2>No entries</h2><p>${records.empty}</p></div>`;
  }
  return html`
    <ol class="card log-lines" ?data-stale=${app.api.state !== "open"}>
      ${records.entries.map(
        (entry, index) => html`
          ${
            isNewDay(records.entries, index)
              ? html`<li class="log-day">${day(entry.time)}</li>`
              : nothing
          }
          <li class="log-line is-record" data-level=${entry.level}>
            <time datetime=${new Date(entry.time * 1000).toISOString()}
              >${exactly(entry.time)}</time>
            <span class="chip ${chip(entry.level)}">${entry.level.toLowerCase()}</span>
            <span class="log-from"><b>${entry.source}</b></span>
            <span class="log-text">${entry.text}</span>
          </li>
        `,
      )}
    </ol>
    <div class="log-foot">
      ${
        records.hasMore
          ? html`<button
            class="button"
            type="button"
            ?disabled=${records.isLoading}
            @click=${() => records.load(app, true)}
          >
            Show older entries
          </button>`
          : nothing
      }
    </div>
  `;
}

/** @param {string} level */
const chip = (level) => ({ WARNING: "warn", ERROR: "bad", DEBUG: "idle" })[level] ?? "";
