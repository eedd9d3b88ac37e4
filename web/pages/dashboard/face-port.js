// The port that Live Link Face sends to, as the robot listens on it: a robot on a laptop may use
// another one than the usual.

/** @typedef {import("../../context.js").With<"api" | "draw">} App */

const AGAIN_MS = 5000; // after a failed request

class FacePort {
  /** null: not known yet; "": switched off. @type {string | null} */ value = null;
  #requestedAt = -AGAIN_MS;

  /** Request the port again at the next drawing. */
  open() {
    this.value = null;
    this.#requestedAt = -AGAIN_MS;
  }

  /** Return the port, and request it while it is not known. @param {App} app */
  get(app) {
    const now = performance.now();
    const isDue = this.value === null && now - this.#requestedAt >= AGAIN_MS;
    if (isDue && app.api.state === "open") {
      this.#requestedAt = now;
      void this.#load(app);
    }
    return this.value;
  }

  /** @param {App} app */
  async #load(app) {
    try {
      const { formats } = await app.api.request("livelink", "list_formats");
      const llf = formats.find((each) => each.format === "llf");
      this.value = (llf?.enabled && /:(\d+)$/.exec(llf.addresses[0] ?? "")?.[1]) || "";
    } catch {
      return; // livelinkd is not running; the card says nothing about its port
    }
    app.draw();
  }
}

export const facePort = new FacePort();
