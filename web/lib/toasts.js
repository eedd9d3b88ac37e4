// Toasts: short messages about an action's result. Success disappears by itself, a failure stays
// until dismissed. Not for decisions (dialogs) or lasting states (banners).

const SHOWN_MS = 5000;
const MOST = 4;

/**
 * @typedef {{number: number, kind: "good" | "bad", text: string, fix: string, until: number}} Toast
 */

export class Toasts {
  /** @type {Toast[]} */ list = [];
  #count = 0;

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** Show a success. @param {string} text */
  done(text) {
    this.#add("good", text, "", performance.now() + SHOWN_MS);
  }

  /** Show a failure. @param {unknown} error */
  failed(error) {
    const { message, fix } = /** @type {{message: string, fix?: string}} */ (error);
    this.#add("bad", message, fix ?? "", Infinity);
  }

  /** @param {Toast} toast */
  drop(toast) {
    this.list = this.list.filter((each) => each !== toast);
    this.changed();
  }

  /** @param {"good" | "bad"} kind @param {string} text @param {string} fix @param {number} until */
  #add(kind, text, fix, until) {
    this.list = [...this.list, { number: ++this.#count, kind, text, fix, until }].slice(-MOST);
    this.changed();
  }
}
