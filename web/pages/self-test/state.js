// State of the self-test of one node, and the user's requests. Not here: drawing (page.js).

/** @typedef {import("../../context.js").With<"api" | "draw" | "store" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SelfTestReport} Report */
/** @typedef {import("../../lib/types.js").SelfTestReport["jumpers"][number]["name"]} Jumper */

const LIMIT_MS = 50_000; // slightly longer than the robot allows a slow card and a silent camera

class SelfTest {
  node = "";
  /** The newest report of the node; null while it is loaded. @type {Report | null} */ report =
    null;
  problem = "";
  isRunning = false;

  /** Show another node. @param {App} app @param {string} node */
  show(app, node) {
    if (node === this.node) return;
    this.node = node;
    this.report = null;
    queueMicrotask(() => this.load(app));
  }

  /** Load the last report. @param {App} app */
  async load(app) {
    const node = this.node;
    if (!node || this.isRunning) return;
    this.problem = "";
    try {
      const report = await app.api.request("selftest", "last", { node_id: node });
      if (node === this.node) this.report = report;
    } catch (err) {
      if (node === this.node) this.problem = /** @type {Error} */ (err).message;
    }
    app.draw();
  }

  /** Run all checks that drive nothing; show an error as a toast. @param {App} app */
  async run(app) {
    try {
      await this.request(app, null);
    } catch (err) {
      app.toasts.failed(/** @type {Error} */ (err));
    }
  }

  /**
   * Run the checks, or the test with this wire; throw an error.
   * @param {App} app
   * @param {Jumper | null} jumper
   */
  async request(app, jumper) {
    const node_id = this.node;
    const params = { node_id, jumper, only_jumper: jumper !== null };
    this.isRunning = true;
    app.draw();
    try {
      const report = await app.api.request("selftest", "run", params, LIMIT_MS);
      if (node_id === this.node) this.report = report;
    } finally {
      this.isRunning = false;
      app.draw();
    }
  }

  close() {
    this.node = "";
    this.report = null;
    this.problem = "";
  }
}

export const selfTest = new SelfTest();
