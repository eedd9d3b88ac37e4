// Draws the toasts above everything else. Not here: which there are and how long they stay
// (lib/toasts.js).

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "./icons.js";

/** @param {import("../context.js").With<"toasts" | "now">} app */
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
