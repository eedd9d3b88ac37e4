// The newest state of each topic, and how fresh it is. No network, no drawing.

/** Data older than this looks stale: */
// and a drawing later (pace.js) it does: within half a second of the last value
export const STALE_MS = 380;
const SLOW_STALE_MS = 2500; // topics that speak once or twice a second

const SLOW_TOPICS = new Set(["nodes", "system", "firmware"]);

export class Store {
  /** @type {Partial<import("./types.js").States>} */ data = {};
  /** @type {Record<string, number>} */ #heardAt = {};
  /** @type {Map<string, {sequence: number, at: number}>} */ #sources = new Map();

  /**
   * @template {keyof import("./types.js").States} Topic
   * @param {Topic} topic
   * @param {import("./types.js").States[Topic]} data
   * @param {number} now
   */
  put(topic, data, now) {
    this.data[topic] = data;
    this.#heardAt[topic] = now;
    if (topic === "inputs" && this.data.inputs) this.#noteSources(this.data.inputs, now);
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
