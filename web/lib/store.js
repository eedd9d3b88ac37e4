// Stores the newest state of each topic and its age. No network, no drawing.

/** Data older than this is stale, and with the next drawing (redraw-rate.js) looks so by 500 ms. */
export const STALE_MS = 380;
const SLOW_STALE_MS = 2500; // topics at 1 or 2 Hz

const SLOW_TOPICS = new Set(["nodes", "system", "firmware"]);

export class StateStore {
  /** @type {Partial<import("./types.js").States>} */ data = {};
  /** @type {Record<string, number>} */ #receivedAt = {};
  /** @type {Map<string, {sequence: number, at: number}>} */ #sources = new Map();

  /**
   * @template {keyof import("./types.js").States} Topic
   * @param {Topic} topic
   * @param {import("./types.js").States[Topic]} data
   * @param {number} now
   */
  put(topic, data, now) {
    this.data[topic] = data;
    this.#receivedAt[topic] = now;
    if (topic === "inputs" && this.data.inputs) this.#noteSources(this.data.inputs, now);
  }

  /**
   * Whether a topic's data is current.
   * @param {string} topic
   * @param {number} now
   */
  isFresh(topic, now) {
    const limit = SLOW_TOPICS.has(topic) ? SLOW_STALE_MS : STALE_MS;
    return now - (this.#receivedAt[topic] ?? -Infinity) < limit;
  }

  /**
   * Return the milliseconds since an input source sent a new sample.
   * @param {string} name
   * @param {number} now
   */
  sourceAge(name, now) {
    const known = this.#sources.get(name);
    return known ? now - known.at : Infinity;
  }

  /** @param {import("./types.js").InputsState} inputs @param {number} now */
  #noteSources(inputs, now) {
    if (inputs.rc) this.#note("rc", inputs.rc, now);
    for (const kind of /** @type {const} */ (["livelink", "autonomous", "websocket"])) {
      for (const source of inputs[kind]) this.#note(`${kind}:${source.subject}`, source, now);
    }
  }

  /**
   * @param {string} name
   * @param {{sequence?: number | null, age_ms?: number | null}} source
   * @param {number} now
   */
  #note(name, { sequence, age_ms: age }, now) {
    if (typeof sequence !== "number" || typeof age !== "number") return;
    if (this.#sources.get(name)?.sequence === sequence) return;
    this.#sources.set(name, { sequence, at: now - age });
  }
}
