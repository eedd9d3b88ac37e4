// The section of accounts: the user's own password and sessions; for admins all users, tokens and
// sessions. A session that has expired disappears from the list.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { encryption } from "./encryption.js";
import { loadFailed, waiting } from "./section.js";
import { openForm } from "./user-dialogs.js";
import { browsersTable, tokensTable, usersTable } from "./user-tables.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SessionInfo} SessionInfo */
/** @typedef {import("../../lib/types.js").TokenInfo} TokenInfo */
/** @typedef {import("../../lib/types.js").UserInfo} UserInfo */

/**
 * @typedef {object} Known
 * @property {UserInfo[]} users
 * @property {TokenInfo[]} tokens
 * @property {SessionInfo[]} sessions
 * @property {string} of user who has requested the lists
 */

const state = { known: /** @type {Known | null} */ (null), isLoading: false, failure: "" };

/** @param {App} app */
export function usersSection(app) {
  const { user, via } = app.api.session;
  if (state.known && state.known.of !== user) state.known = null;
  if (!state.known && !state.isLoading && !state.failure && app.api.state === "open") load(app);
  return html`
    ${via === "open" ? nothing : yourself(app)} ${signInSwitch(app)}
    ${
      state.failure
        ? loadFailed(state.failure, () => load(app))
        : state.known
          ? lists(app, state.known)
          : waiting
    }
    ${encryption(app)}
  `;
}

/** Load the lists, at first and after a change. @param {App} app */
async function load(app) {
  const of = app.api.session.user;
  Object.assign(state, { isLoading: true, failure: "" });
  try {
    const [{ sessions }, { users }, { tokens }] = await Promise.all([
      app.api.request("users", "list_sessions"),
      isAdmin(app) ? app.api.request("users", "list_users") : { users: [] },
      isAdmin(app) ? app.api.request("users", "list_tokens") : { tokens: [] },
    ]);
    state.known = { users, tokens, sessions, of };
  } catch (err) {
    state.failure = /** @type {Error} */ (err).message;
  }
  state.isLoading = false;
  app.draw();
}

/** The switch for everyone's sign-in. @param {App} app */
function signInSwitch(app) {
  const isRequired = app.api.session.via !== "open";
  return html`
    <div class="sign-in-rule" ?data-open=${!isRequired}>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          data-sign-in
          .checked=${isRequired}
          ?disabled=${!isAdmin(app)}
          @change=${withField((field) => askSignIn(app, field))}
        >
        Require a sign-in
      </label>
      <span class="quiet">${
        isRequired
          ? "Each browser signs in, each program has a token."
          : "Everyone who reaches this address is admin. Users and tokens do not count."
      }</span>
    </div>
  `;
}

/** @param {App} app @param {HTMLInputElement} input */
function askSignIn(app, input) {
  const required = input.checked;
  input.checked = !required; // shows the robot's state until the change is applied
  const isClaimed = Boolean(state.known?.users.length);
  const after = isClaimed
    ? "Sign in with a user of the list."
    : "The robot has no user yet: the code on the server's screen creates the first admin, " +
      "`saintctl user claim-code` shows it too.";
  askConfirmation(app, {
    title: required ? "Require a sign-in?" : "Let everyone in?",
    text: required
      ? `All browsers without a user are signed out, this one too. ${after}`
      : "Everyone on the robot's networks becomes admin: they can move the robot and change its " +
        "settings. Do this on a network of your own only.",
    verb: required ? "Require a sign-in" : "Let everyone in",
    isDanger: !required,
    work: () => app.api.request("users", "require_sign_in", { required }),
  });
}

/** @param {App} app */
function yourself(app) {
  const { user, level, via } = app.api.session;
  return html`
    <div class="toolbar">
      <span class="grow">Signed in as <b>${user}</b>, ${level}.</span>
      ${
        via === "session"
          ? html`<button
            class="button small"
            type="button"
            data-own-password
            @click=${() => openForm(app, () => load(app), "own")}
          >
            Change password…
          </button>`
          : nothing
      }
    </div>
  `;
}

/** @param {App} app @param {Known} known */
function lists(app, { users, tokens, sessions }) {
  const again = () => load(app);
  if (!isAdmin(app)) return browsersTable(app, sessions, again);
  return html`
    <header class="list-head">
      <h3>Users</h3>
      <button
        class="button small"
        type="button"
        data-add-user
        @click=${() => openForm(app, again, "user")}
      >
        Add user…
      </button>
    </header>
    ${usersTable(app, users, again)}
    <header class="list-head">
      <h3>Tokens</h3>
      <button
        class="button small"
        type="button"
        data-add-token
        @click=${() => openForm(app, again, "token")}
      >
        Add token…
      </button>
    </header>
    <p class="quiet">
      For programs and panels that use the <a href="/reference">API</a>. Each token has its own role
      and can be revoked.
    </p>
    ${tokensTable(app, tokens, again)}
    <header class="list-head"><h3>Sessions</h3></header>
    ${browsersTable(app, sessions, again)}
  `;
}
