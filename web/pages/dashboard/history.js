// Stores the history of the robot's values: loads all points when the page is opened, then the new
// ones. Not here: the charts (trends.js).

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").HistoryReply} HistoryReply */
/** @typedef {import("../../lib/types.js").TrendSeries} TrendSeries */
/** @typedef {keyof TrendSeries} Name */
/** @typedef {"minutes" | "hours"} Span */

const MOST_POINTS = { minutes: 600, hours: 2160 };

export class TrendHistory {
  /** @type {Span} */ span = "minutes";
  /** Seconds since 1970 of each point, oldest first. @type {number[]} */ times = [];
  /** @type {Partial<TrendSeries>} */ series = {};
  /** Why loading failed. */
  failure = "";
  isKnown = false;
  #last = 0;
  #timer = 0;
  #isLoading = false;

  /** Load the history and keep it up to date. @param {App} app */
  open(app) {
    this.close();
    this.#timer = setInterval(() => this.#load(app), this.span === "minutes" ? 1000 : 10_000);
    this.#load(app);
  }

  close() {
    clearInterval(this.#timer);
    this.#last = 0;
  }

  /** @param {App} app @param {Span} span */
  choose(app, span) {
    this.span = span;
    this.isKnown = false;
    this.open(app);
    app.draw();
  }

  /** @param {App} app */
  async #load(app) {
    if (this.#isLoading || app.api.state !== "open" || document.hidden) return;
    const { span } = this;
    this.#isLoading = true;
    try {
      const reply = await app.api.request("system", "get_history", { span, after: this.#last });
      if (span === this.span) this.#append(reply);
      this.failure = "";
    } catch (err) {
      this.failure = /** @type {Error} */ (err).message;
    }
    this.#isLoading = false;
    app.draw();
  }

  /** @param {HistoryReply} reply */
  #append(reply) {
    const names = /** @type {Name[]} */ (Object.keys(reply.series));
    const count = reply.series[names[0]].length;
    if (!count && this.isKnown && reply.last === this.#last) return;
    // A restarted server counts from 0 again and sends all its points.
    const isMore = this.isKnown && this.#last > 0 && reply.last === this.#last + count;
    const times = Array.from(
      { length: count },
      (_, at) => reply.time - (count - 1 - at) * reply.period_s,
    );
    const most = MOST_POINTS[this.span];
    this.times = (isMore ? [...this.times, ...times] : times).slice(-most);
    for (const name of names) {
      const before = (isMore && this.series[name]) || [];
      this.series[name] = [...before, ...reply.series[name]].slice(-most);
    }
    this.#last = reply.last;
    this.isKnown = true;
  }

  /** The newest value of a series. @param {Name} name */
  newest(name) {
    return this.series[name]?.at(-1) ?? null;
  }
}
