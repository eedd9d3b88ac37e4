// How long ago the robot has reported over a remote link, for how long it has received nothing, and
// what follows from it. No drawing.

const SILENT_MS = 300; // without any message an operator's link counts as lost
// A viewer gets four reports a second, and its picture says more, and sooner. A sign of life says
// nothing of who has control or whether the robot is stopped: operators need whole reports too.
const WHOLE_SILENT_MS = 800;
const AGAIN_MS = 2000; // until the link is made again

export class LinkSilence {
  #anyAt = -Infinity;
  #wholeAt = -Infinity;
  /** When the oldest message was sent behind which none has arrived. @type {number | null} */
  #waitingAt = null;
  /** @type {number | null} */ #echo = null;

  /** @param {number} now @param {{seat?: string, echo: number | null}} report or a sign of life */
  arrived(now, report) {
    this.#anyAt = now;
    if ("seat" in report) this.#wholeAt = now;
    if (report.echo !== this.#echo) this.#waitingAt = null;
    this.#echo = report.echo;
  }

  /** Milliseconds since the last message. @param {number} now */
  since(now) {
    return now - this.#anyAt;
  }

  /** @param {number} now */
  sent(now) {
    this.#waitingAt ??= now;
  }

  /** Nothing is sent now: a page in the background. */
  paused() {
    this.#waitingAt = null;
  }

  /**
   * Whether nothing arrives at the robot, though its reports come: after a link that was full a
   * transport may wait for ten seconds and more with what it sends.
   * @param {number} now
   */
  #isUnanswered(now) {
    return this.#waitingAt !== null && now - this.#waitingAt > AGAIN_MS;
  }

  /** What is missing, for a person. @param {number} now */
  reason(now) {
    if (now - this.#wholeAt <= WHOLE_SILENT_MS && this.#isUnanswered(now))
      return "The robot receives nothing from this page.";
    return "No data from the robot.";
  }

  /** @param {number} now @param {boolean} isOperator */
  isLost(now, isOperator) {
    if (this.#isUnanswered(now)) return true;
    return now - this.#wholeAt > WHOLE_SILENT_MS || (isOperator && this.since(now) > SILENT_MS);
  }

  /** Whether the link is to be made again. @param {number} now */
  isLong(now) {
    return now - this.#wholeAt > AGAIN_MS || this.#isUnanswered(now);
  }
}
