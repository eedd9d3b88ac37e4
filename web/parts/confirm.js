// "Do you really want to?": one dialog for all pages, with what is said while it works and when it
// was refused.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../lib/api.js";
import { onSubmit, withValue } from "../lib/events.js";
import { dialog } from "./dialog.js";

/**
 * @typedef {object} Question
 * @property {string} title "Reset the left arm?"
 * @property {unknown} text what will happen
 * @property {string} verb on the button: "Reset the node"
 * @property {() => Promise<unknown>} work
 * @property {string} [doing] on the button meanwhile: "Resetting…"
 * @property {string} [said] in a toast afterwards
 * @property {string} [keep] on the other button
 * @property {boolean} [isDanger]
 * @property {string} [typed] what must be typed first, for what cannot be undone
 */

/** @typedef {Question & {isBusy: boolean, refusal: string, given: string}} OpenQuestion */
/** @typedef {import("../context.js").With<"dialogs" | "draw">} App */

/** @param {App} app @param {Question} question */
export function ask(app, question) {
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
        <p class="refusal" role="alert">
          ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
        </p>
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
            ${open.isBusy ? (open.doing ?? "One moment…") : open.verb}
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
    <span>Type <b>${open.typed}</b> to go on</span>
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
