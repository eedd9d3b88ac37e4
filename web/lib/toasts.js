// Short sentences about what was just done. Good news goes by itself; what failed stays until it
// was read. Not for what a person must decide (dialog.js), nor for states that last (banners).

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "../views/icons.js";

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

  /** It worked. @param {string} text */
  done(text) {
    this.#add("good", text, "", performance.now() + SHOWN_MS);
  }

  /** It did not. @param {unknown} error */
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

/** @param {import("../parts.js").App} app */
export function toasts(app) {
  const shown = app.toasts.list.filter((toast) => toast.until > app.now);
  return html`
    <div class="toasts" role="status" aria-live="polite">
      ${repeat(
        shown,
        (toast) => toast.number,
        (toast) => html`
          <div class="toast is-${toast.kind}" data-toast=${toast.kind}>
            ${icon(toast.kind === "good" ? "done" : "alert", 20)}
            <p>
              ${toast.text}${toast.fix ? html` <span class="quiet">${toast.fix}</span>` : nothing}
            </p>
            <button
              class="icon-button"
              type="button"
              aria-label="Dismiss"
              @click=${() => app.toasts.drop(toast)}
            >
              ${icon("close", 18)}
            </button>
          </div>
        `,
      )}
    </div>
  `;
}
