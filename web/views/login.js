// What is shown to nobody in particular: claim a robot that has no owner yet, else sign in, by name
// and password or with a token. Not here: what an account may do (lib/levels.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import * as account from "../lib/account.js";
import { problemOf } from "../lib/api.js";
import { onSubmit, withChecked } from "../lib/events.js";
import { trustHint } from "./trust.js";

/** @typedef {import("../context.js").With<"api" | "draw">} App */

const state = {
  known: /** @type {account.Account | null} */ (null),
  isAsking: false,
  isBusy: false,
  hasToken: false,
  isShown: false,
  failure: "",
  fix: "",
};

/** @param {App} app */
export function loginView(app) {
  if (!state.known) {
    if (!state.isAsking && !state.failure) look(app);
    return state.failure ? unreachable(app) : html`<p class="quiet" role="status">One moment…</p>`;
  }
  const [title, fields, verb, send] = !state.known.is_claimed
    ? ["Make this robot yours", claimFields(app), "Claim this robot", sendClaim]
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
        ${state.isBusy ? "One moment…" : verb}
      </button>
      ${state.known.is_claimed ? otherWay(app) : nothing} ${trustHint(state.known)}
    </form>
  `;
}

const lostUsers = html`<p class="notice" role="alert">
  The users and tokens of this robot are lost: their file and its copy are damaged. Restore a backup
  on the robot itself, or claim the robot again with its new code. The old code does not count.
</p>`;

/** Somebody signed out, or the robot is another one now. */
export function forget() {
  Object.assign(state, { known: null, isBusy: false, failure: "", fix: "" });
}

/** @param {App} app */
async function look(app) {
  state.isAsking = true;
  try {
    state.known = await account.ask();
    state.failure = "";
  } catch (err) {
    state.failure = /** @type {Error} */ (err).message;
  }
  state.isAsking = false;
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
    Nobody owns this robot yet. With its claim code you become its admin. The code is on the screen
    of the robot's server; on the server itself <code>saintctl user claim-code</code> tells it.
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
    "At least 8 characters. Three or four words make a good one.",
  )}
  <label class="check">
    <input name="keeps_code" type="checkbox">
    <span>Programs use this code as their token already: keep it working for them</span>
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
      title="Letters, digits, dots, lines; a letter first"
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
    <span class="hint">An admin makes tokens on the page Settings, for programs and panels.</span>
  </label>
`;

/** Name and password, or a token. @param {App} app */
function turn(app) {
  Object.assign(state, { hasToken: !state.hasToken, failure: "", fix: "" });
  app.draw();
}

/** @param {App} app */
const otherWay = (app) => html`
  <button
    class="button plain"
    type="button"
    @click=${() => turn(app)}
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
    if (code === "conflict") state.known = null; // somebody else was faster
  }
  app.draw();
}
