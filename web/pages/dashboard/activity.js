// What happened lately, by level and by who told it.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { lately, words } from "../../lib/format.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").LogEntry} LogEntry */

const PAGE = 12;
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
/** What the server told last, and the newest entry that the topic "log" had then. */
const asked = {
  entries: /** @type {LogEntry[]} */ ([]),
  newest: -1,
  key: "",
  isAsking: false,
  refusal: "",
};

/**
 * The topic carries the newest entries of all kinds; for anything else the server is asked.
 * @param {App} app
 */
function entries(app) {
  const newest = app.store.data.log?.entries ?? [];
  if (chosen.level === "INFO" && !chosen.source && chosen.shown <= newest.length) return newest;
  const key = `${chosen.level} ${chosen.source} ${chosen.shown}`;
  if (asked.key !== key || asked.newest !== (newest[0]?.number ?? 0))
    refresh(app, key, newest[0]?.number ?? 0);
  return asked.entries;
}

/** @param {App} app @param {string} key @param {number} newest */
async function refresh(app, key, newest) {
  if (asked.isAsking || app.api.state !== "open") return;
  asked.isAsking = true;
  const { level, source, shown } = chosen;
  const params = { level, limit: shown + 1, ...(source ? { source } : {}) };
  try {
    asked.entries = (await app.api.request("management", "get_activity_log", params)).entries;
    asked.refusal = "";
  } catch (err) {
    asked.refusal = /** @type {Error} */ (err).message;
  }
  Object.assign(asked, { isAsking: false, key, newest });
  app.draw();
}

/** @param {App} app */
export function activity(app) {
  const found = entries(app);
  const choose = (/** @type {Partial<typeof chosen>} */ change) => (
    Object.assign(chosen, { shown: PAGE }, change), app.draw()
  );
  return html`
    <section class="activity" aria-labelledby="activity-title">
      <div class="section-head">
        <h2 id="activity-title">Activity</h2>
        <div class="toolbar">
          <div class="segments" role="radiogroup" aria-label="Which entries">
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
        ${asked.refusal ? html`<p class="refusal">${asked.refusal}</p>` : nothing}
        ${
          found.length
            ? html`<ol>${repeat(found.slice(0, chosen.shown), (entry) => entry.number, line)}</ol>`
            : html`
              <p class="quiet">
                ${
                  chosen.level === "INFO" && !chosen.source
                    ? "Nothing has happened since the server started."
                    : "Nothing of that kind."
                }
              </p>
            `
        }
        ${
          found.length > chosen.shown && chosen.shown < MOST
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
 * Those that have told something lately.
 * @param {App} app
 * @param {(change: Partial<typeof chosen>) => void} choose
 */
function sourcePicker(app, choose) {
  const heard = (app.store.data.log?.entries ?? []).map((entry) => entry.source);
  const sources = [...new Set([...heard, ...(chosen.source ? [chosen.source] : [])])].sort();
  return html`
    <select aria-label="Who told it" @change=${withValue((value) => choose({ source: value }))}>
      <option value="" ?selected=${!chosen.source}>Everybody</option>
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
