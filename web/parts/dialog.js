// A dialog that is shown while its state is set. It is not the browser's modal dialog, which would
// block the emergency stop; views/frame.js makes the rest of the page inert instead.

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** Focuses the dialog when it appears, and restores the focus when it closes. */
class Focus extends AsyncDirective {
  /** @type {Element | null} */ #before = null;
  #isTaken = false;

  render() {
    return nothing;
  }

  /** @param {import("/vendor/lit-html/directive.js").ElementPart} part */
  update(part) {
    if (!this.#isTaken) {
      this.#isTaken = true;
      this.#before = document.activeElement;
      queueMicrotask(() => {
        const first = part.element.querySelector("[data-focus], input:enabled, button:enabled");
        /** @type {HTMLElement} */ (first ?? part.element).focus();
      });
    }
    return nothing;
  }

  disconnected() {
    const before = this.#before;
    queueMicrotask(() => before instanceof HTMLElement && before.isConnected && before.focus());
  }
}

const takeFocus = directive(Focus);

/**
 * The error of a dialog's last request; screen readers announce it.
 * @param {string} text empty: none
 * @param {string} [title]
 */
export const errorLine = (text, title = "Failed") => html`
  <p class="refusal" role="alert">
    ${text ? html`<strong>${title}:</strong> ${text}` : nothing}
  </p>
`;

/**
 * @template T
 * @param {T | null | undefined} open state of the dialog; null: closed
 * @param {() => void} close
 * @param {(open: T) => unknown} content
 * @param {string} label
 */
export function dialog(open, close, content, label) {
  if (!open) return nothing;
  /** @param {KeyboardEvent} event */
  const key = (event) => event.key === "Escape" && close();
  /** @param {MouseEvent} event */
  const outside = (event) => event.target === event.currentTarget && close();
  return html`
    <div class="veil" @click=${outside} @keydown=${key}>
      <div class="dialog" role="dialog" aria-label=${label} tabindex="-1" ${takeFocus()}>
        ${content(open)}
      </div>
    </div>
  `;
}
