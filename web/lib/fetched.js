// A fact that a page requests once while it is open; after a failed request it tries again.

/** @typedef {import("../context.js").With<"api" | "draw">} App */

const AGAIN_MS = 5000; // after a failed request

/** @template T */
export class Fetched {
  /** null: not known yet. @type {T | null} */ #value = null;
  #requestedAt = -AGAIN_MS;
  #load;

  /** @param {(api: App["api"]) => Promise<T>} load */
  constructor(load) {
    this.#load = load;
  }

  /** Request it again at the next drawing. */
  open() {
    this.#value = null;
    this.#requestedAt = -AGAIN_MS;
  }

  /** Return the fact, and request it while it is not known. @param {App} app */
  get(app) {
    const now = performance.now();
    const isDue = this.#value === null && now - this.#requestedAt >= AGAIN_MS;
    if (isDue && app.api.state === "open") {
      this.#requestedAt = now;
      void this.#request(app);
    }
    return this.#value;
  }

  /** @param {App} app */
  async #request(app) {
    try {
      this.#value = await this.#load(app.api);
    } catch {
      return; // the page shows it as unknown
    }
    app.draw();
  }
}
