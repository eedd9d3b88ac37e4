// History of the robot's numbers (webd/topics/trends.py): fetched whole when the page is opened,
// then what is new. Not here: how it looks (trends.js).

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").HistoryReply} HistoryReply */
/** @typedef {import("../../lib/types.js").TrendSeries} TrendSeries */
/** @typedef {keyof TrendSeries} Name */
/** @typedef {"minutes" | "hours"} Span */

const MOST = { minutes: 600, hours: 2160 };

export class History {
  /** @type {Span} */ span = "minutes";
  /** Seconds since 1970 of each point, oldest first. @type {number[]} */ times = [];
  /** @type {Partial<TrendSeries>} */ series = {};
  /** Why there is nothing to show. */
  failure = "";
  isKnown = false;
  #last = 0;
  #timer = 0;
  #isAsking = false;

  /** Keep it up to date from now on. @param {App} app */
  open(app) {
    this.close();
    this.#timer = setInterval(() => this.#ask(app), this.span === "minutes" ? 1000 : 10_000);
    this.#ask(app);
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
  async #ask(app) {
    if (this.#isAsking || app.api.state !== "open" || document.hidden) return;
    const { span } = this;
    this.#isAsking = true;
    try {
      const reply = await app.api.request("system", "get_history", { span, after: this.#last });
      if (span === this.span) this.#take(reply);
      this.failure = "";
    } catch (err) {
      this.failure = /** @type {Error} */ (err).message;
    }
    this.#isAsking = false;
    app.draw();
  }

  /** @param {HistoryReply} reply */
  #take(reply) {
    const names = /** @type {Name[]} */ (Object.keys(reply.series));
    const count = reply.series[names[0]].length;
    if (!count && this.isKnown && reply.last === this.#last) return;
    // After a restart the server's numbers begin anew, so what it sends is all that there is.
    const isMore = this.isKnown && this.#last > 0 && reply.last === this.#last + count;
    const times = Array.from(
      { length: count },
      (_, at) => reply.time - (count - 1 - at) * reply.period_s,
    );
    const most = MOST[this.span];
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
