// Dialogs for users, tokens and passwords, and the one that shows a token's secret once.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit } from "../../lib/events.js";
import { dialog } from "../../parts/dialog.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/api.js").Api} Api */

/** @typedef {import("../../lib/types.js").AddUser["role"]} Role */
/** @typedef {Record<string, string>} Given by the names of the fields */

export const ROLES = {
  viewer: "view everything, stop the robot",
  operator: "drive the robot, change how it moves",
  admin: "change everything",
};

const FORMS = {
  user: {
    title: () => "Add a user",
    verb: "Add user",
    send: (/** @type {Api} */ api, /** @type {Given} */ { name, password, role }) =>
      api.request("users", "add_user", { name, password, role: /** @type {Role} */ (role) }),
  },
  token: {
    title: () => "Add a token",
    verb: "Add token",
    send: (/** @type {Api} */ api, /** @type {Given} */ { name, role }) =>
      api.request("users", "add_token", { name, role: /** @type {Role} */ (role) }),
  },
  password: {
    title: (/** @type {string} */ name) => `Set the password of ${name}`,
    verb: "Set password",
    send: (/** @type {Api} */ api, /** @type {Given} */ { name, password }) =>
      api.request("users", "set_password", { name, password }),
  },
  own: {
    title: () => "Change your password",
    verb: "Change password",
    send: (/** @type {Api} */ api, /** @type {Given} */ { old_password, password }) =>
      api.request("users", "change_password", { old_password, password }),
  },
};

/**
 * @typedef {object} OpenUser
 * @property {keyof typeof FORMS} kind
 * @property {string} name of the user concerned
 * @property {string} secret of a token, shown once
 * @property {boolean} isBusy
 * @property {boolean} isCopied
 * @property {string} refusal
 * @property {() => void} again loads the lists again after a change
 */

/**
 * @param {App} app
 * @param {() => void} again loads the lists again after a change
 * @param {keyof typeof FORMS} kind
 * @param {string} [name] of the user concerned
 */
export function openForm(app, again, kind, name = "") {
  show(app, { kind, name, secret: "", again });
}

/** @param {App} app @param {{token: {name: string}, secret: string}} made */
export function showSecret(app, { token, secret }) {
  show(app, { kind: "token", name: token.name, secret, again: () => {} });
}

/** @param {App} app @param {Pick<OpenUser, "kind" | "name" | "secret" | "again">} what */
function show(app, what) {
  app.dialogs.users = { ...what, isBusy: false, isCopied: false, refusal: "" };
  app.draw();
}

/** @param {App} app */
export function usersDialog(app) {
  const open = app.dialogs.users;
  const close = () => !open?.isBusy && ((app.dialogs.users = null), app.draw());
  if (open?.secret)
    return dialog(
      open,
      () => {},
      () => secretShown(app, open, close),
      "The token's secret",
    );
  const title = open ? FORMS[open.kind].title(open.name) : "";
  return dialog(open, close, (open) => form(app, open, title, close), title);
}

/** @param {App} app @param {OpenUser} open @param {string} title @param {() => void} close */
const form = (app, open, title, close) => html`
  <form class="form" @submit=${onSubmit((form) => send(app, open, form))}>
    <h2>${title}</h2>
    ${FIELDS[open.kind]()}
    <p class="refusal" role="alert">${open.refusal}</p>
    <div class="actions">
      <button class="button" type="button" ?disabled=${open.isBusy} @click=${close}>Cancel</button>
      <button class="button primary" type="submit" data-confirm ?disabled=${open.isBusy}>
        ${open.isBusy ? "Please wait…" : FORMS[open.kind].verb}
      </button>
    </div>
  </form>
`;

const FIELDS = {
  user: () => html`
    <label class="entry">
      <span>Name</span>
      <input
        name="name"
        autocomplete="off"
        autocapitalize="none"
        required
        maxlength="32"
        pattern="[A-Za-z][A-Za-z0-9_.\\-]*"
      >
      <span class="hint">A letter first, then letters, digits and . _ - characters.</span>
    </label>
    ${newPassword()} ${roles()}
  `,
  token: () => html`
    <label class="entry">
      <span>Name</span>
      <input name="name" autocomplete="off" required maxlength="40">
      <span class="hint">The program or panel that uses the token: "workshop panel".</span>
    </label>
    ${roles()}
  `,
  password: () => html`${newPassword()}<p class="quiet">All sessions of this user end.</p>`,
  own: () => html`
    <label class="entry">
      <span>Old password</span>
      <input
        name="old_password"
        type="password"
        autocomplete="current-password"
        required
        maxlength="256"
      >
    </label>
    ${newPassword()}
    <p class="quiet">Your other sessions end.</p>
  `,
};

const newPassword = () => html`
  <label class="entry">
    <span>New password</span>
    <input
      name="password"
      type="password"
      autocomplete="new-password"
      required
      minlength="8"
      maxlength="256"
    >
    <span class="hint">At least 8 characters; three or four words are a good password.</span>
  </label>
`;

const roles = () => html`
  <fieldset class="options">
    <legend>Role</legend>
    ${Object.entries(ROLES).map(
      ([role, meaning]) => html`
        <label class="option">
          <input type="radio" name="role" value=${role} required ?checked=${role === "operator"}>
          <span><b>${role}</b><small>${meaning}</small></span>
        </label>
      `,
    )}
  </fieldset>
`;

/** @param {App} app @param {OpenUser} open @param {HTMLFormElement} form */
async function send(app, open, form) {
  const fields = Object.fromEntries(new FormData(form));
  const given = /** @type {Given} */ ({ ...(open.name && { name: open.name }), ...fields });
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    const reply = await FORMS[open.kind].send(app.api, given);
    app.dialogs.users = null;
    if ("secret" in reply) showSecret(app, reply);
    else app.toasts.done(`Done: ${reply.message}.`);
    open.again();
  } catch (err) {
    Object.assign(open, { isBusy: false, refusal: sentenceOf(err) });
    app.draw();
  }
}

/** @param {App} app @param {OpenUser} open @param {() => void} close */
function secretShown(app, open, close) {
  const copy = async () => {
    const field = /** @type {HTMLInputElement} */ (document.getElementById("secret"));
    field.select();
    // The clipboard needs a secure context; execCommand works everywhere.
    open.isCopied = navigator.clipboard
      ? await navigator.clipboard.writeText(open.secret).then(
          () => true,
          () => false,
        )
      : document.execCommand("copy");
    app.draw();
  };
  return html`
    <h2>Secret of ${open.name}</h2>
    <p>
      The secret is shown only once, because the robot stores only its fingerprint. Copy it to your
      program now.
    </p>
    <label class="entry">
      <span>Token</span>
      <input id="secret" class="mono" readonly .value=${open.secret} data-secret data-focus>
    </label>
    <p role="status">${open.isCopied ? "Copied to the clipboard." : nothing}</p>
    <div class="actions">
      <button class="button" type="button" data-copy @click=${copy}>Copy secret</button>
      <button class="button primary" type="button" @click=${close}>Close</button>
    </div>
  `;
}
