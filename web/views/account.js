// The signed-in account: its button in the header and its dialog with "Sign out".

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { signOut } from "../lib/account.js";
import { dialog } from "../parts/dialog.js";
import { icon } from "../parts/icons.js";
import { forget } from "./login.js";

/** @typedef {import("../context.js").With<"api" | "dialogs" | "draw">} App */

const MEANINGS = {
  viewer: "View everything and stop the robot.",
  operator: "Drive the robot and change how it moves.",
  admin: "Change everything.",
};

/** @param {App} app */
export function accountButton(app) {
  const { user, via } = app.api.session;
  if (app.api.state !== "open" || via === "open" || !user) return nothing;
  return html`
    <button
      class="icon-button"
      type="button"
      data-account=${user}
      aria-label="Signed in as ${user}"
      title="Signed in as ${user}"
      @click=${() => ((app.dialogs.account = { isBusy: false, refusal: "" }), app.draw())}
    >
      ${icon("person")}
    </button>
  `;
}

/** @param {App} app */
export function accountDialog(app) {
  const open = app.dialogs.account;
  const close = () => ((app.dialogs.account = null), app.draw());
  const { user, level } = app.api.session;
  return dialog(
    open,
    close,
    (open) => html`
      <h2>${user}</h2>
      <p>
        <span class="chip new">${level}</span>
        ${level ? MEANINGS[level] : ""}
      </p>
      <p class="refusal" role="alert">${open.refusal}</p>
      <div class="actions">
        <a class="button" href="/settings/users" @click=${close}>Manage account</a>
        <button
          class="button"
          type="button"
          data-sign-out
          ?disabled=${open.isBusy}
          @click=${() => leave(app, open)}
        >
          Sign out
        </button>
        <button class="button primary" type="button" data-focus @click=${close}>Close</button>
      </div>
    `,
    `Signed in as ${user}`,
  );
}

/** @param {App} app @param {{isBusy: boolean, refusal: string}} open */
async function leave(app, open) {
  open.isBusy = true;
  app.draw();
  try {
    await signOut();
    app.dialogs.account = null;
    forget();
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: /** @type {Error} */ (err).message });
  }
  app.draw();
}
