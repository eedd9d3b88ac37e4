// The log lines of the page: a page of older lines, and new lines at the top while it is live.

import { sentenceOf } from "../../lib/api.js";
import { followLines } from "../../lib/transfer.js";

const PAGE = 100;
const MOST_LINES = 1000; // older lines are dropped
const RETRY_MS = 2000;
const SEARCH_PAUSE_MS = 250;

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").LogLine} Line */
/** @typedef {NonNullable<import("../../lib/types.js").LogQuery["level"]>} Level */

export class LogTail {
  /** @type {Line[]} */ lines = [];
  /** Cursor of the next older page; empty at the end. */
  older = "";
  /** @type {{level: Level, source: string, node: string, search: string}} */
  filter = { level: "INFO", source: "", node: "", search: "" };
  isLive = true;
  isLoading = false;
  /** Whether the first page for this filter is loaded. */
  isLoaded = false;
  failure = "";
  /**
   * `home`: the machine of lines without one; empty: the lines are of all machines.
   * @type {{sources: string[], nodes: string[], scope: string, home: string}}
   */
  names = { sources: [], nodes: [], scope: "", home: "" };
  /** New lines, held back while the user reads older ones. */
  held = /** @type {Line[]} */ ([]);
  #generation = 0;
  #timer = 0;
  /** @type {AbortController | null} */ #following = null;

  /** @param {App} app */
  async start(app) {
    this.app = app;
    this.reload();
    try {
      this.names = await app.api.request("logs", "names");
    } catch {
      // The filters then offer only the names in the lines.
    }
    app.draw();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#following?.abort();
    this.#following = null;
    this.#generation++;
  }

  /** @param {Partial<LogTail["filter"]>} change */
  set(change) {
    this.filter = { ...this.filter, ...change };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.reload(), "search" in change ? SEARCH_PAUSE_MS : 0);
    this.app?.draw();
  }

  /** @param {boolean} isLive */
  setLive(isLive) {
    this.isLive = isLive;
    if (isLive) this.reload();
    else this.#following?.abort();
    this.app?.draw();
  }

  /** Load the newest lines. */
  async reload() {
    this.stop();
    const number = this.#generation;
    Object.assign(this, { isLoading: true, isLoaded: false, held: [], failure: "" });
    if (this.isLive) this.#follow(number);
    const page = await this.#page("", number);
    if (page)
      Object.assign(this, {
        lines: [...this.#fresh(page.lines), ...page.lines],
        older: page.older,
      });
    this.app?.draw();
  }

  /** Load the next older page. */
  async more() {
    if (this.isLoading || !this.older) return;
    const number = this.#generation;
    this.isLoading = true;
    this.app?.draw();
    const page = await this.#page(this.older, number);
    if (page) Object.assign(this, { lines: [...this.lines, ...page.lines], older: page.older });
    this.app?.draw();
  }

  /** Clear the page; the robot's log is not changed. */
  clear() {
    Object.assign(this, { lines: [], older: "", held: [] });
    this.app?.draw();
  }

  /** Show the lines held back. */
  release() {
    this.lines = [...this.held, ...this.lines].slice(0, MOST_LINES);
    this.held = [];
    this.app?.draw();
  }

  /** @param {string} before @param {number} number */
  async #page(before, number) {
    try {
      const page = await this.app?.api.request("logs", "query", {
        ...this.filter,
        before,
        limit: PAGE,
      });
      if (number !== this.#generation) return null;
      Object.assign(this, { isLoading: false, isLoaded: true, failure: "" });
      return page;
    } catch (err) {
      if (number !== this.#generation) return null;
      Object.assign(this, { isLoading: false, failure: sentenceOf(err) });
      return null;
    }
  }

  /** Return lines received while the first page was loading. @param {Line[]} known */
  #fresh(known) {
    const cursors = new Set(known.map((line) => line.cursor));
    return (this.isLoaded ? this.held : []).filter((line) => !cursors.has(line.cursor));
  }

  /** @param {number} number */
  async #follow(number) {
    const stopping = (this.#following = new AbortController());
    const query = new URLSearchParams({ ...this.filter, follow: "1" });
    try {
      await followLines(`/api/logs?${query}`, (line) => this.#add(line, number), stopping.signal);
    } catch {
      // Retried below; a banner reports a lost connection.
    }
    if (number !== this.#generation || stopping.signal.aborted) return;
    this.#timer = setTimeout(() => this.reload(), RETRY_MS);
  }

  /** @param {Line} line @param {number} number */
  #add(line, number) {
    if (number !== this.#generation) return;
    if (!this.isLoaded || scrollY > 400) this.held = [line, ...this.held].slice(0, MOST_LINES);
    else this.lines = [line, ...this.lines].slice(0, MOST_LINES);
    this.app?.draw();
  }
}
