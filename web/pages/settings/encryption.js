// Whether the way to the robot is encrypted, and the switch for it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").TlsInfo} TlsInfo */

const state = { info: /** @type {TlsInfo | null} */ (null), isAsking: false, failure: "", of: "" };

/** @param {App} app */
export function encryption(app) {
  const { user } = app.api.session;
  if (
    (!state.info || state.of !== user) &&
    !state.isAsking &&
    !state.failure &&
    app.api.state === "open"
  )
    load(app);
  return html`
    <header class="list-head"><h3>Encryption</h3></header>
    ${state.failure ? html`<p class="refusal">${state.failure}</p>` : nothing}
    ${state.info ? (state.info.is_enabled ? isOn(app, state.info) : isOff(app)) : nothing}
  `;
}

/** @param {App} app */
async function load(app) {
  Object.assign(state, { isAsking: true, of: app.api.session.user });
  try {
    state.info = await app.api.request("system", "get_tls");
    state.failure = "";
  } catch (err) {
    state.failure = /** @type {Error} */ (err).message;
  }
  state.isAsking = false;
  app.draw();
}

/** @param {App} app @param {TlsInfo} info */
const isOn = (app, info) => html`
  <p data-encrypted>
    The robot answers at <code>https://</code> too. Each device that trusts its certificate
    (<a href="/trust.html">how</a>) may use it.
  </p>
  <dl class="facts-list">
    <dt>Fingerprint</dt>
    <dd><code data-fingerprint>${info.fingerprint}</code></dd>
    <dt>Valid for</dt>
    <dd>${info.names.join(", ")}</dd>
  </dl>
  <div class="toolbar">
    <button class="button small" type="button" ?disabled=${!isAdmin(app)} @click=${() => off(app)}>
      Switch it off…
    </button>
  </div>
`;

/** @param {App} app */
const isOff = (app) => html`
  <p class="quiet">
    Off: whoever can read the network can read passwords. The robot makes a certificate authority of
    its own, and each device is told once to trust it.
  </p>
  <div class="toolbar">
    <button
      class="button small"
      type="button"
      data-encrypt
      ?disabled=${!isAdmin(app)}
      @click=${() => on(app)}
    >
      Switch it on…
    </button>
  </div>
`;

/** @param {App} app */
const on = (app) =>
  askConfirmation(app, {
    title: "Switch encryption on?",
    text: "The robot then answers at https:// too. Nothing changes for who goes on without.",
    verb: "Switch it on",
    said: "Encryption is on.",
    work: async () => (state.info = await app.api.request("system", "enable_tls")),
  });

/** @param {App} app */
const off = (app) =>
  askConfirmation(app, {
    title: "Switch encryption off?",
    text: "The authority is forgotten: to switch it on again, every device must trust a new one.",
    verb: "Switch it off",
    said: "Encryption is off.",
    isDanger: true,
    work: async () => (state.info = await app.api.request("system", "disable_tls")),
  });
