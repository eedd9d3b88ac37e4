// The activity card: recent log entries, filtered by level and source.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { lately, words } from "../../lib/format.js";
import { isPhone } from "../../parts/fold.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").LogEntry} LogEntry */

const PAGE = 12;
const PHONE_PAGE = 4;
const MOST = 200;
const LEVELS = /** @type {const} */ ([
  ["INFO", "All"],
  ["WARNING", "Warnings"],
  ["ERROR", "Errors"],
]);
/** @type {Partial<Record<LogEntry["level"], string>>} */
const SIGNS = { WARNING: "Warning", ERROR: "Error" };

/** @type {{level: "INFO" | "WARNING" | "ERROR", source: string, shown: number}} */
const chosen = { level: "INFO", source: "", shown: PAGE };
/** The last reply, and the newest entry of the topic "log" at that time. */
const loaded = {
  entries: /** @type {LogEntry[]} */ ([]),
  newest: -1,
  key: "",
  isLoading: false,
  refusal: "",
};

/**
 * Return the entries to show. The topic has the newest of all kinds; others are requested.
 * @param {App} app
 */
function entries(app) {
  const newest = app.store.data.log?.entries ?? [];
  if (chosen.level === "INFO" && !chosen.source && chosen.shown <= newest.length) return newest;
  const key = `${chosen.level} ${chosen.source} ${chosen.shown}`;
  if (loaded.key !== key || loaded.newest !== (newest[0]?.number ?? 0))
    refresh(app, key, newest[0]?.number ?? 0);
  return loaded.entries;
}

/** @param {App} app @param {string} key @param {number} newest */
async function refresh(app, key, newest) {
  if (loaded.isLoading || app.api.state !== "open") return;
  loaded.isLoading = true;
  const { level, source, shown } = chosen;
  const params = { level, limit: shown + 1, ...(source ? { source } : {}) };
  try {
    loaded.entries = (await app.api.request("management", "get_activity_log", params)).entries;
    loaded.refusal = "";
  } catch (err) {
    loaded.refusal = /** @type {Error} */ (err).message;
  }
  Object.assign(loaded, { isLoading: false, key, newest });
  app.draw();
}

/** @param {App} app */
export function activity(app) {
  const found = entries(app);
  const page = isPhone() && chosen.shown === PAGE ? PHONE_PAGE : chosen.shown;
  const choose = (/** @type {Partial<typeof chosen>} */ change) => (
    Object.assign(chosen, { shown: PAGE }, change), app.draw()
  );
  return html`
    <section class="activity" aria-labelledby="activity-title">
      <div class="section-head">
        <h2 id="activity-title">Activity</h2>
        <div class="toolbar">
          <div class="segments" role="radiogroup" aria-label="Level">
            ${LEVELS.map(
              ([level, title]) => html`
                <label>
                  <input
                    type="radio"
                    name="level"
                    value=${level}
                    .checked=${chosen.level === level}
                    @change=${() => choose({ level })}
                  >
                  <span>${title}</span>
                </label>
              `,
            )}
          </div>
          ${sourcePicker(app, choose)}
        </div>
      </div>
      <div class="card log">
        ${loaded.refusal ? html`<p class="refusal">${loaded.refusal}</p>` : nothing}
        ${
          found.length
            ? html`<ol>${repeat(found.slice(0, page), (entry) => entry.number, line)}</ol>`
            : html`
              <p class="quiet">
                ${
                  chosen.level === "INFO" && !chosen.source
                    ? "No events yet."
                    : "No events match the filter."
                }
              </p>
            `
        }
        ${
          found.length > page && chosen.shown < MOST
            ? html`<button
              class="button small"
              type="button"
              @click=${() => choose({ shown: chosen.shown + 3 * PAGE })}
            >
              Show more
            </button>`
            : nothing
        }
      </div>
    </section>
  `;
}

/**
 * A select of the sources of recent entries.
 * @param {App} app
 * @param {(change: Partial<typeof chosen>) => void} choose
 */
function sourcePicker(app, choose) {
  const recent = (app.store.data.log?.entries ?? []).map((entry) => entry.source);
  const sources = [...new Set([...recent, ...(chosen.source ? [chosen.source] : [])])].sort();
  return html`
    <select aria-label="Source" @change=${withValue((value) => choose({ source: value }))}>
      <option value="" ?selected=${!chosen.source}>All sources</option>
      ${sources.map(
        (source) =>
          html`
            <option value=${source} ?selected=${source === chosen.source}>${words(source)}</option>
          `,
      )}
    </select>
  `;
}

/** @param {LogEntry} entry */
const line = (entry) => html`
  <li class="is-${entry.level.toLowerCase()}">
    <time>${lately(entry.time)}</time>
    <span>${SIGNS[entry.level] ? html`<b>${SIGNS[entry.level]}:</b> ` : nothing}${entry.text}</span>
  </li>
`;
