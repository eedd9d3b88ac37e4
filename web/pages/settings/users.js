// Who may come in: one's own password and browsers; for admins also everybody's, users and tokens.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { encryption } from "./encryption.js";
import { notThere, waiting } from "./section.js";
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
 * @property {string} of who has asked
 */

const state = { known: /** @type {Known | null} */ (null), isAsking: false, failure: "" };

/** @param {App} app */
export function usersSection(app) {
  const { user, via } = app.api.session;
  if (state.known && state.known.of !== user) state.known = null;
  if (!state.known && !state.isAsking && !state.failure && app.api.state === "open") load(app);
  return html`
    ${via === "open" ? isOpen : yourself(app)}
    ${
      state.failure
        ? notThere(state.failure, () => load(app))
        : state.known
          ? lists(app, state.known)
          : waiting
    }
    ${encryption(app)}
  `;
}

/** Ask anew, after a change. @param {App} app */
async function load(app) {
  const of = app.api.session.user;
  Object.assign(state, { isAsking: true, failure: "" });
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
  state.isAsking = false;
  app.draw();
}

const isOpen = html`
  <p class="notice is-quiet" data-open>
    Nobody is asked for a password here: <code>auth.required</code> is off in webd.yaml, so
    everybody who reaches this address is admin. Users and tokens count once it is on.
  </p>
`;

/** @param {App} app */
function yourself(app) {
  const { user, level, via } = app.api.session;
  return html`
    <div class="toolbar">
      <span class="grow">You are <b>${user}</b>, ${level}.</span>
      ${
        via === "session"
          ? html`<button
            class="button small"
            type="button"
            data-own-password
            @click=${() => openForm(app, () => load(app), "own")}
          >
            Change your password…
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
        Add a user…
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
        Add a token…
      </button>
    </header>
    <p class="quiet">
      For programs and panels: <a href="#/api">what they can ask</a>. Each has a role of its own and
      can be taken away alone.
    </p>
    ${tokensTable(app, tokens, again)}
    <header class="list-head"><h3>Signed in</h3></header>
    ${browsersTable(app, sessions, again)}
  `;
}
