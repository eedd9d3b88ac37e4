// The sign-in page: claim a robot without an owner, or sign in (log in) by name and password or by
// token. After failed attempts the server's lock-out error is shown as it is. Not here: the rights
// of an account (lib/levels.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import * as account from "../lib/account.js";
import { problemOf } from "../lib/api.js";
import { onSubmit, withChecked } from "../lib/events.js";

/** @typedef {import("../context.js").With<"api" | "draw">} App */

const state = {
  known: /** @type {account.Account | null} */ (null),
  isLoading: false,
  isBusy: false,
  hasToken: false,
  isShown: false,
  failure: "",
  fix: "",
};

/** @param {App} app */
export function loginView(app) {
  if (!state.known) {
    if (!state.isLoading && !state.failure) load(app);
    return state.failure ? unreachable(app) : html`<p class="quiet" role="status">Loading…</p>`;
  }
  const [title, fields, verb, send] = !state.known.is_claimed
    ? ["Claim this robot", claimFields(app), "Claim this robot", sendClaim]
    : state.hasToken
      ? ["Sign in with a token", tokenField(), "Sign in", sendToken]
      : ["Sign in", nameFields(app), "Sign in", sendName];
  return html`
    <form class="card login form" @submit=${onSubmit((form) => submit(app, form, send))}>
      <header>
        <h1>${title}</h1>
        <p class="quiet">${state.known.robot}</p>
        ${state.known.has_lost_users ? lostUsers : nothing}
      </header>
      ${fields} ${refusal()}
      <button class="button primary" type="submit" ?disabled=${state.isBusy}>
        ${state.isBusy ? "Please wait…" : verb}
      </button>
      ${state.known.is_claimed ? switchButton(app) : nothing} ${encryptionHint(state.known)}
    </form>
  `;
}

const lostUsers = html`<p class="notice" role="alert">
  The users and tokens of this robot are lost: their file and its copy are damaged. Restore a backup
  on the robot itself, or claim the robot again with its new code. The old code is no longer valid.
</p>`;

/** Reset the page after a sign-in or sign-out. */
export function forget() {
  Object.assign(state, { known: null, isBusy: false, failure: "", fix: "" });
}

/** @param {App} app */
async function load(app) {
  state.isLoading = true;
  try {
    state.known = await account.readAccount();
    state.failure = "";
  } catch (err) {
    state.failure = /** @type {Error} */ (err).message;
  }
  state.isLoading = false;
  app.draw();
}

/** @param {App} app */
const unreachable = (app) => html`
  <div class="card login empty" role="alert">
    <p>${state.failure}</p>
    <button class="button" type="button" @click=${() => ((state.failure = ""), app.draw())}>
      Try again
    </button>
  </div>
`;

/** @param {App} app */
const claimFields = (app) => html`
  <p>
    This robot has no owner. Its claim code makes you its admin. The code is on the screen of the
    robot's server, or run <code>saintctl user claim-code</code> there.
  </p>
  <label class="entry">
    <span>Claim code</span>
    <input
      name="code"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      required
      maxlength="256"
    >
  </label>
  ${nameField()}
  ${passwordField(
    app,
    "new-password",
    "At least 8 characters; three or four words are a good password.",
  )}
  <label class="check">
    <input name="keeps_code" type="checkbox">
    <span>Keep the code valid as a token for programs that use it already</span>
  </label>
`;

/** @param {App} app */
const nameFields = (app) => html`${nameField()} ${passwordField(app, "current-password", "")}`;

const nameField = () => html`
  <label class="entry">
    <span>Name</span>
    <input
      name="name"
      autocomplete="username"
      autocapitalize="none"
      spellcheck="false"
      required
      maxlength="32"
      pattern="[A-Za-z][A-Za-z0-9_.\\-]*"
      title="A letter first, then letters, digits, dots, hyphens and underscores"
    >
  </label>
`;

/** @param {App} app @param {"new-password" | "current-password"} kind @param {string} hint */
const passwordField = (app, kind, hint) => html`
  <label class="entry">
    <span>Password</span>
    <input
      name="password"
      type=${state.isShown ? "text" : "password"}
      autocomplete=${kind}
      required
      minlength=${kind === "new-password" ? 8 : 1}
      maxlength="256"
    >
    ${hint ? html`<span class="hint">${hint}</span>` : nothing}
  </label>
  <label class="check">
    <input
      type="checkbox"
      .checked=${state.isShown}
      @change=${withChecked((isOn) => ((state.isShown = isOn), app.draw()))}
    >
    <span>Show the password</span>
  </label>
`;

const tokenField = () => html`
  <label class="entry">
    <span>Token</span>
    <input name="token" type="password" autocomplete="off" required maxlength="256">
    <span class="hint">Admins create tokens for programs and panels in Settings.</span>
  </label>
`;

/** Switch between name and token. @param {App} app */
function toggleToken(app) {
  Object.assign(state, { hasToken: !state.hasToken, failure: "", fix: "" });
  app.draw();
}

/** @param {App} app */
const switchButton = (app) => html`
  <button
    class="button plain"
    type="button"
    @click=${() => toggleToken(app)}
  >
    ${state.hasToken ? "Sign in with name and password" : "Sign in with a token"}
  </button>
`;

const refusal = () => html`
  <p class="refusal" role="alert">${state.failure} ${state.fix}</p>
`;

/** @param {FormData} data */
const sendClaim = (data) =>
  account.claim({
    code: text(data, "code").trim(),
    name: text(data, "name").trim(),
    password: text(data, "password"),
    keeps_code: data.has("keeps_code"),
  });

/** @param {FormData} data */
const sendName = (data) =>
  account.signIn({ name: text(data, "name").trim(), password: text(data, "password") });

/** @param {FormData} data */
const sendToken = (data) => account.signIn({ token: text(data, "token").trim() });

/** @param {FormData} data @param {string} name */
const text = (data, name) => String(data.get(name) ?? "");

/**
 * @param {App} app
 * @param {HTMLFormElement} form
 * @param {(data: FormData) => Promise<account.Account>} send
 */
async function submit(app, form, send) {
  if (state.isBusy) return;
  Object.assign(state, { isBusy: true, failure: "", fix: "" });
  app.draw();
  try {
    await send(new FormData(form));
    forget();
    app.api.retry();
  } catch (err) {
    const { message, fix, code } = problemOf(err);
    Object.assign(state, { isBusy: false, failure: message, fix: fix ?? "" });
    if (code === "conflict") state.known = null; // another user has claimed the robot meanwhile
  }
  app.draw();
}

/** @param {account.Account} known */
function encryptionHint({ is_secure }) {
  const isLocal = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  if (is_secure || isLocal) return nothing;
  return html`
    <p class="hint">
      This connection is not encrypted: others on the network can read the password.
      <a href="/trust.html">Set up encryption</a>
    </p>
  `;
}
