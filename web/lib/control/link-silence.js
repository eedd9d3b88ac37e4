// How long ago the robot has reported over a remote link, and what follows from it. No drawing.

const SILENT_MS = 300; // without any message an operator's link counts as lost
// A viewer gets four reports a second, and its picture says more, and sooner. A sign of life says
// nothing of who has control or whether the robot is stopped: operators need whole reports too.
const WHOLE_SILENT_MS = 800;
const AGAIN_MS = 2000; // until the link is made again

export class LinkSilence {
  #anyAt = -Infinity;
  #wholeAt = -Infinity;

  /** @param {number} now @param {boolean} isWhole more than a sign of life */
  arrived(now, isWhole) {
    this.#anyAt = now;
    if (isWhole) this.#wholeAt = now;
  }

  /** Milliseconds since the last message. @param {number} now */
  since(now) {
    return now - this.#anyAt;
  }

  /** @param {number} now @param {boolean} isOperator */
  isLost(now, isOperator) {
    return now - this.#wholeAt > WHOLE_SILENT_MS || (isOperator && this.since(now) > SILENT_MS);
  }

  /** Whether the link is to be made again. @param {number} now */
  isLong(now) {
    return now - this.#wholeAt > AGAIN_MS;
  }
}
