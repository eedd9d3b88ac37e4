// Tables of users, tokens and sessions with their actions.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";
import { day, duration } from "../../lib/format.js";
import { askConfirmation } from "../../parts/confirm.js";
import { openForm, ROLES, showSecret } from "./user-dialogs.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SessionInfo} SessionInfo */
/** @typedef {import("../../lib/types.js").TokenInfo} TokenInfo */
/** @typedef {import("../../lib/types.js").UserInfo} UserInfo */

/** @param {App} app @param {UserInfo[]} users @param {() => void} again */
export function usersTable(app, users, again) {
  if (!users.length) return html`<p class="quiet">No users.</p>`;
  return table(
    ["Name", "Role", "Since"],
    users.map(
      (user) => html`
        <tr data-user=${user.name}>
          <td data-label="Name"><b>${user.name}</b></td>
          <td data-label="Role">${roleChoice(app, user, again)}</td>
          <td data-label="Since">${day(user.made_s)}</td>
          <td class="right">
            <button
              class="button plain small"
              type="button"
              @click=${() => openForm(app, again, "password", user.name)}
            >
              Set password…
            </button>
            <button
              class="button plain small"
              type="button"
              data-remove
              @click=${() => removeUser(app, user, again)}
            >
              Remove…
            </button>
          </td>
        </tr>
      `,
    ),
  );
}

/** @param {App} app @param {UserInfo} user @param {() => void} again */
function roleChoice(app, user, again) {
  const choose = withField(async (field) => {
    const role = /** @type {UserInfo["role"]} */ (field.value);
    try {
      await app.api.request("users", "set_role", { name: user.name, role });
      app.toasts.done(`Role of ${user.name} changed to ${role}.`);
    } catch (err) {
      field.value = user.role;
      app.toasts.failed(err);
    }
    again();
  });
  return html`
    <select aria-label="Role of ${user.name}" .value=${user.role} @change=${choose}>
      ${Object.keys(ROLES).map(
        (role) => html`<option value=${role} ?selected=${role === user.role}>${role}</option>`,
      )}
    </select>
  `;
}

/** @param {App} app @param {UserInfo} user @param {() => void} again */
const removeUser = (app, user, again) =>
  askConfirmation(app, {
    title: `Remove ${user.name}?`,
    text: "All sessions of this user end at once.",
    verb: "Remove the user",
    said: `${user.name} removed.`,
    isDanger: true,
    work: () => app.api.request("users", "remove_user", { name: user.name }).then(again),
  });

/** @param {App} app @param {TokenInfo[]} tokens @param {() => void} again */
export function tokensTable(app, tokens, again) {
  if (!tokens.length) return html`<p class="quiet">No tokens.</p>`;
  return table(
    ["Name", "Role", "Last used"],
    tokens.map(
      (token) => html`
        <tr data-token=${token.name}>
          <td data-label="Name"><b>${token.name}</b></td>
          <td data-label="Role">${token.role}</td>
          <td data-label="Last used">${token.used_s ? ago(token.used_s) : "never"}</td>
          <td class="right">
            <button
              class="button plain small"
              type="button"
              @click=${() => renew(app, token, again)}
            >
              Renew secret…
            </button>
            <button
              class="button plain small"
              type="button"
              data-revoke
              @click=${() => revoke(app, token, again)}
            >
              Revoke…
            </button>
          </td>
        </tr>
      `,
    ),
  );
}

/** @param {App} app @param {TokenInfo} token @param {() => void} again */
const renew = (app, token, again) =>
  askConfirmation(app, {
    title: `Renew the secret of ${token.name}?`,
    text: "Programs with the old secret lose access at once, until you give them the new secret.",
    verb: "Renew the secret",
    work: async () => {
      const made = await app.api.request("users", "renew_token", { token_id: token.id });
      again();
      showSecret(app, made);
    },
  });

/** @param {App} app @param {TokenInfo} token @param {() => void} again */
const revoke = (app, token, again) =>
  askConfirmation(app, {
    title: `Revoke ${token.name}?`,
    text: "Programs that use this token lose access at once.",
    verb: "Revoke the token",
    said: `${token.name} revoked.`,
    isDanger: true,
    work: () => app.api.request("users", "revoke_token", { token_id: token.id }).then(again),
  });

/** @param {App} app @param {SessionInfo[]} sessions @param {() => void} again */
export function browsersTable(app, sessions, again) {
  if (!sessions.length) return html`<p class="quiet">No sessions.</p>`;
  return table(
    ["User", "Browser", "Last seen"],
    sessions.map(
      (session) => html`
        <tr data-session=${session.user}>
          <td data-label="User">
            <b>${session.user}</b>${session.via === "token" ? " (token)" : ""}
          </td>
          <td data-label="Browser">${browserName(session.browser)}, ${session.address}</td>
          <td data-label="Last seen">${session.is_own ? "this browser" : ago(session.seen_s)}</td>
          <td class="right">
            ${
              session.is_own
                ? nothing
                : html`<button
                  class="button plain small"
                  type="button"
                  aria-label="Sign ${session.user} out on ${session.address}"
                  @click=${() => end(app, session, again)}
                >
                  Sign out
                </button>`
            }
          </td>
        </tr>
      `,
    ),
  );
}

/** @param {App} app @param {SessionInfo} session @param {() => void} again */
async function end(app, session, again) {
  try {
    await app.api.request("users", "end_session", { session_id: session.id });
    app.toasts.done(`${session.user} signed out.`);
  } catch (err) {
    app.toasts.failed(err);
  }
  again();
}

/** @param {string[]} heads @param {unknown[]} rows */
const table = (heads, rows) => html`
  <div class="table-wrap">
    <table class="table stacks">
      <thead>
        <tr>
          ${heads.map((head) => html`<th scope="col">${head}</th>`)}
          <th class="right" scope="col">Actions</th>
        </tr>
      </thead>
      <tbody>${rows}</tbody>
    </table>
  </div>
`;

/**
 * Format an age; the robot stores it with an accuracy of 1 h.
 * @param {number} seconds since 1970
 */
function ago(seconds) {
  const since = Date.now() / 1000 - seconds;
  return since < 3600 ? "within the hour" : `${duration(since)} ago`;
}

/** Return "Firefox on Linux" for a user agent. @param {string} agent */
function browserName(agent) {
  const name =
    ["Edg", "OPR", "Firefox", "Chrome", "Safari"].find((each) => agent.includes(each)) ?? "";
  const system = ["Android", "iPhone", "iPad", "Windows", "Mac OS", "Linux"].find((each) =>
    agent.includes(each),
  );
  const known = { Edg: "Edge", OPR: "Opera" }[name] ?? name;
  return [known || "Browser", system && `on ${system}`].filter(Boolean).join(" ");
}
