// The log lines of all programs, newest first, with filters, live mode and download.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { prevent, withChecked, withValue } from "../../lib/events.js";
import { clock } from "../../lib/format.js";
import { downloadFile } from "../../lib/transfer.js";

/** @typedef {import("../../context.js").With<"api" | "toasts">} App */
/** @typedef {import("./tail.js").LogTail} Tail */
/** @typedef {import("./tail.js").Line} Line */

const LEVELS = {
  DEBUG: "All levels",
  INFO: "Info and above",
  WARNING: "Warnings and errors",
  ERROR: "Errors",
};

/** @param {App} app @param {Tail} tail */
export function programLines(app, tail) {
  return html`
    ${filters(tail)} ${tail.failure ? failed(tail) : nothing}
    ${tail.held.length && tail.isLoaded ? newLinesButton(tail) : nothing}
    <section aria-label="Lines" aria-busy=${tail.isLoading}>${lines(app, tail)}</section>
    ${foot(tail)}
  `;
}

/** @param {App} app @param {Tail} tail */
export function logTools(app, tail) {
  const query = new URLSearchParams(tail.filter);
  const download = () => downloadFile(`/api/logs?${query}`).catch((err) => app.toasts.failed(err));
  return html`
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        data-live
        .checked=${tail.isLive}
        @change=${withChecked((isOn) => tail.setLive(isOn))}
      >
      Live
    </label>
    <button class="button" type="button" @click=${() => tail.clear()}>Clear page</button>
    <button class="button" type="button" data-download @click=${download}>Download log</button>
  `;
}

/** @param {Tail} tail */
function filters(tail) {
  const { filter, names } = tail;
  const seen = (/** @type {"source" | "node"} */ key) => tail.lines.map((line) => line[key]);
  return html`
    <form class="card log-filters" role="search" @submit=${prevent}>
      ${select("Level", "level", filter.level, Object.entries(LEVELS), tail)}
      ${select(
        "Program",
        "source",
        filter.source,
        choices("All programs", names.sources, seen("source")),
        tail,
      )}
      ${select("Machine", "node", filter.node, machines(names, seen("node")), tail)}
      <label class="entry grow">
        <span>Search</span>
        <input
          type="search"
          name="search"
          maxlength="200"
          placeholder="Part of a line"
          .value=${filter.search}
          @input=${withValue((value) => tail.set({ search: value }))}
        >
      </label>
    </form>
  `;
}

/**
 * @param {string} all
 * @param {string[]} known
 * @param {string[]} seen
 * @returns {[string, string][]}
 */
function choices(all, known, seen) {
  const names = [...new Set([...known, ...seen])].filter(Boolean).sort();
  return [["", all], ...names.map((name) => /** @type {[string, string]} */ ([name, name]))];
}

/** @param {Tail["names"]} names @param {string[]} seen */
function machines({ home, nodes }, seen) {
  if (!home) return choices("All machines", nodes, seen);
  const others = [...nodes, ...seen].filter((name) => name !== home);
  return choices(`${home} (this server)`, others, []);
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string} value
 * @param {[string, string][]} options
 * @param {Tail} tail
 */
function select(label, name, value, options, tail) {
  return html`
    <label class="entry">
      <span>${label}</span>
      <select name=${name} @change=${withValue((value) => tail.set({ [name]: value }))}>
        ${options.map(
          ([key, text]) => html`<option value=${key} ?selected=${key === value}>${text}</option>`,
        )}
      </select>
    </label>
  `;
}

/** @param {Tail} tail */
const failed = (tail) => html`
  <div class="notice log-notice" role="alert">
    <strong>Loading the log failed.</strong> ${tail.failure}
    <button class="button small" type="button" @click=${() => tail.reload()}>Try again</button>
  </div>
`;

/** @param {Tail} tail */
const newLinesButton = (tail) => html`
  <button
    class="button small log-news"
    type="button"
    @click=${() => (tail.release(), scrollTo(0, 0))}
  >
    ↑ ${tail.held.length} new ${tail.held.length === 1 ? "line" : "lines"}
  </button>
`;

/** @param {App} app @param {Tail} tail */
function lines(app, tail) {
  if (!tail.lines.length && tail.isLoading) {
    return html`<div class="card skeleton log-skeleton"></div>`;
  }
  if (!tail.lines.length && tail.failure) return nothing;
  if (!tail.lines.length) return empty(tail);
  return html`
    <ol class="card log-lines" ?data-stale=${app.api.state !== "open"}>
      ${repeat(
        tail.lines,
        (line) => line.cursor,
        (line, index) => html`
          ${
            isNewDay(tail.lines, index) ? html`<li class="log-day">${day(line.time)}</li>` : nothing
          } ${row(line)}
        `,
      )}
    </ol>
  `;
}

const WORDS = { DEBUG: "debug", INFO: "info", WARNING: "warning", ERROR: "error" };
const CHIPS = { DEBUG: "idle", INFO: "", WARNING: "warn", ERROR: "bad" };

/** @param {Line} line */
function row(line) {
  const level = /** @type {"INFO"} */ (line.level);
  return html`
    <li class="log-line" data-level=${line.level}>
      <time datetime=${new Date(line.time * 1000).toISOString()}>${exactly(line.time)}</time>
      <span class="chip ${CHIPS[level]}">${WORDS[level]}</span>
      <span class="log-from"><b>${line.source}</b> <span class="quiet">${line.node}</span></span>
      <span class="log-text">${line.text}</span>
    </li>
  `;
}

/** @param {Tail} tail */
function empty(tail) {
  const { level, source, node, search } = tail.filter;
  const isNarrow = source || node || search || level !== "INFO";
  return html`
    <div class="card empty">
      <h2>${isNarrow ? "No matching lines" : "No lines"}</h2>
      <p>
        ${
          isNarrow
            ? "No line in the logs matches these filters."
            : "Log lines of all programs appear here."
        }
      </p>
      ${
        isNarrow
          ? html`<p>
            <button
              class="button"
              type="button"
              @click=${() => tail.set({ level: "INFO", source: "", node: "", search: "" })}
            >
              Reset filters
            </button>
          </p>`
          : nothing
      }
    </div>
  `;
}

/** @param {Tail} tail */
function foot(tail) {
  return html`
    <div class="log-foot">
      ${
        tail.older
          ? html`<button
            class="button"
            type="button"
            data-older
            ?disabled=${tail.isLoading}
            @click=${() => tail.more()}
          >
            ${tail.isLoading ? "Loading…" : "Show older lines"}
          </button>`
          : nothing
      }
      <p class="quiet">${tail.names.scope}</p>
    </div>
  `;
}

/** @param {number} time */
export function exactly(time) {
  const milliseconds = String(new Date(time * 1000).getMilliseconds()).padStart(3, "0");
  return `${clock(time)}.${milliseconds}`;
}

/** @param {{time: number}[]} all @param {number} index */
export function isNewDay(all, index) {
  const of = (/** @type {number} */ at) => new Date(all[at].time * 1000).toDateString();
  return index === 0 ? of(0) !== new Date().toDateString() : of(index) !== of(index - 1);
}

/** @param {number} time */
export const day = (time) =>
  new Date(time * 1000).toLocaleDateString([], {
    weekday: "long",
    year: "numeric",
    month: "long",
    day: "numeric",
  });
