// Exclusive control of targets while a button is held: no other input drives them meanwhile. The
// requests go one after the other, so that a late release does not end the next hold. The router
// ends control by itself when the samples stop for 300 ms. No drawing.

import { sentenceOf } from "../api.js";

/** @typedef {import("../api.js").Api} Api */

const LOCK_MS = 300; // without a sample the router ends control and motion

export class ExclusiveControl {
  /** @type {Promise<unknown>} */ #last = Promise.resolve();

  /** @param {() => Api} api */
  constructor(api) {
    this.api = api;
  }

  /**
   * Take a target; returns why not, empty: taken.
   * @param {string} target
   * @param {() => boolean} isWanted whether the button is still held
   * @returns {Promise<string>}
   */
  take(target, isWanted) {
    return this.#then(async () => {
      if (!isWanted()) return "";
      try {
        await this.api().request("router", "take_control", { target, timeout_ms: LOCK_MS });
        return "";
      } catch (err) {
        return sentenceOf(err);
      }
    });
  }

  /** Without a reply the router ends control by itself. @param {string} target */
  release(target) {
    return this.#then(async () => {
      if (this.api().state !== "open") return;
      await this.api()
        .request("router", "release_control", { target }, LOCK_MS)
        .catch(() => undefined);
    });
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #then(work) {
    const next = this.#last.then(work);
    this.#last = next;
    return next;
  }
}

/** Release a button when its focus, its page or its tab is gone. @param {() => void} release */
export function onAbsence(release) {
  addEventListener("blur", release);
  addEventListener("pagehide", release);
  document.addEventListener("visibilitychange", () => document.hidden && release());
}
