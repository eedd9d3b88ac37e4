// A modal dialog that exists while its data does; focus and Escape are the browser's own.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { ref } from "/vendor/lit-html/directives/ref.js";

/** @param {Element | undefined} element */
function show(element) {
  if (element instanceof HTMLDialogElement && !element.open && element.isConnected) {
    element.showModal();
  } else if (element instanceof HTMLDialogElement) {
    queueMicrotask(() => element.isConnected && !element.open && element.showModal());
  }
}

/**
 * @param {any} open nothing is shown when it is empty
 * @param {() => void} close
 * @param {() => unknown} content
 */
export function dialog(open, close, content) {
  if (!open) return nothing;
  /** @param {MouseEvent} event */
  const outside = (event) => event.target === event.currentTarget && close();
  return html`
    <dialog class="dialog" ${ref(show)} @cancel=${close} @click=${outside}>
      <div class="dialog-body">${content()}</div>
    </dialog>
  `;
}
