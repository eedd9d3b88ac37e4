// The newest state of each topic, and how fresh it is. No network, no drawing.

/** Data older than this looks stale: */
// and a drawing later (pace.js) it does: within half a second of the last value
export const STALE_MS = 380;
const SLOW_STALE_MS = 2500; // topics that speak once or twice a second

const SLOW_TOPICS = new Set(["nodes", "system", "firmware"]);

export class Store {
  /** @type {Record<string, any>} */ data = {};
  /** @type {Record<string, number>} */ #heardAt = {};
  /** @type {Map<string, {sequence: number, at: number}>} */ #sources = new Map();

  /**
   * @param {string} topic
   * @param {any} data
   * @param {number} now
   */
  put(topic, data, now) {
    this.data[topic] = data;
    this.#heardAt[topic] = now;
    if (topic === "inputs") this.#noteSources(data, now);
  }

  /**
   * Whether a topic's data may still be believed.
   * @param {string} topic
   * @param {number} now
   */
  isFresh(topic, now) {
    const limit = SLOW_TOPICS.has(topic) ? SLOW_STALE_MS : STALE_MS;
    return now - (this.#heardAt[topic] ?? -Infinity) < limit;
  }

  /**
   * Milliseconds since an input source sent something new, as far as this page can tell.
   * @param {string} name
   * @param {number} now
   */
  sourceAge(name, now) {
    const known = this.#sources.get(name);
    return known ? now - known.at : Infinity;
  }

  /** @param {any} inputs @param {number} now */
  #noteSources(inputs, now) {
    const rows = [["rc", inputs.rc]];
    for (const kind of ["livelink", "autonomous", "websocket"]) {
      for (const source of inputs[kind]) rows.push([`${kind}:${source.subject}`, source]);
    }
    for (const [name, source] of rows) {
      if (!source || source.sequence === undefined) continue;
      const known = this.#sources.get(name);
      if (!known) this.#sources.set(name, { sequence: source.sequence, at: now - source.age_ms });
      else if (known.sequence !== source.sequence) {
        known.sequence = source.sequence;
        known.at = now - source.age_ms;
      }
    }
  }
}
