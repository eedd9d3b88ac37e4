// One confirmation dialog for all pages, with its busy state and its error.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../lib/api.js";
import { onSubmit, withValue } from "../lib/events.js";
import { dialog, errorLine } from "./dialog.js";

/**
 * @typedef {object} Question
 * @property {string} title "Reset the left arm?"
 * @property {unknown} text the consequences
 * @property {string} verb label of the button: "Reset the node"
 * @property {() => Promise<unknown>} work
 * @property {string} [doing] label of the button during the work: "Resetting…"
 * @property {string} [said] toast after success
 * @property {string} [keep] label of the other button
 * @property {boolean} [isDanger]
 * @property {string} [typed] text that the user must type first, for what cannot be undone
 */

/** @typedef {Question & {isBusy: boolean, refusal: string, given: string}} OpenQuestion */
/** @typedef {import("../context.js").With<"dialogs" | "draw">} App */

/** @param {App} app @param {Question} question */
export function askConfirmation(app, question) {
  app.dialogs.confirm = { ...question, isBusy: false, refusal: "", given: "" };
  app.draw();
}

/** @param {App & import("../context.js").With<"toasts">} app */
export function confirmDialog(app) {
  const open = app.dialogs.confirm;
  const close = () => !open?.isBusy && ((app.dialogs.confirm = null), app.draw());
  return dialog(
    open,
    close,
    (open) => html`
      <form @submit=${onSubmit(() => answer(app, open))}>
        <h2>${open.title}</h2>
        <p>${open.text}</p>
        ${open.typed ? typed(app, open) : nothing}
        ${errorLine(open.refusal)}
        <div class="actions">
          <button
            class="button"
            type="button"
            ?data-focus=${!open.typed}
            ?disabled=${open.isBusy}
            @click=${close}
          >
            ${open.keep ?? "Cancel"}
          </button>
          <button
            class="button ${open.isDanger ? "danger" : "primary"}"
            type="submit"
            data-confirm
            ?disabled=${open.isBusy || (open.typed && open.given !== open.typed)}
          >
            ${open.isBusy ? (open.doing ?? "Please wait…") : open.verb}
          </button>
        </div>
      </form>
    `,
    open?.title ?? "",
  );
}

/** @param {App} app @param {OpenQuestion} open */
const typed = (app, open) => html`
  <label class="entry">
    <span>Type <b>${open.typed}</b> to confirm</span>
    <input
      data-focus
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      .value=${open.given}
      @input=${withValue((value) => ((open.given = value), app.draw()))}
    >
  </label>
`;

/** @param {App & import("../context.js").With<"toasts">} app @param {OpenQuestion} open */
async function answer(app, open) {
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await open.work();
    if (app.dialogs.confirm === open) app.dialogs.confirm = null;
    if (open.said) app.toasts.done(open.said);
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: sentenceOf(err) });
  }
  app.draw();
}
