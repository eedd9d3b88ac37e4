// Turns the encryption of connections to the robot (TLS) on and off.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").TlsInfo} TlsInfo */

const state = { info: /** @type {TlsInfo | null} */ (null), isLoading: false, failure: "", of: "" };

/** @param {App} app */
export function encryption(app) {
  const { user } = app.api.session;
  if (
    (!state.info || state.of !== user) &&
    !state.isLoading &&
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
  Object.assign(state, { isLoading: true, of: app.api.session.user });
  try {
    state.info = await app.api.request("system", "get_tls");
    state.failure = "";
  } catch (err) {
    state.failure = /** @type {Error} */ (err).message;
  }
  state.isLoading = false;
  app.draw();
}

/** @param {App} app @param {TlsInfo} info */
const isOn = (app, info) => html`
  <p data-encrypted>
    The robot is also available at <code>https://</code>.
    <a href="/trust.html">Install its certificate</a> on each device.
  </p>
  <dl class="facts-list">
    <dt>Fingerprint</dt>
    <dd><code data-fingerprint>${info.fingerprint}</code></dd>
    <dt>Valid for</dt>
    <dd>${info.names.join(", ")}</dd>
  </dl>
  <div class="toolbar">
    <button class="button small" type="button" ?disabled=${!isAdmin(app)} @click=${() => off(app)}>
      Turn off encryption…
    </button>
  </div>
`;

/** @param {App} app */
const isOff = (app) => html`
  <p class="quiet">
    Off: others on the network can read passwords. With encryption the robot has its own certificate
    authority, which you install once on each device.
  </p>
  <div class="toolbar">
    <button
      class="button small"
      type="button"
      data-encrypt
      ?disabled=${!isAdmin(app)}
      @click=${() => on(app)}
    >
      Turn on encryption…
    </button>
  </div>
`;

/** @param {App} app */
const on = (app) =>
  askConfirmation(app, {
    title: "Turn on encryption?",
    text: "The robot is then also available at https://. Plain HTTP keeps working.",
    verb: "Turn on encryption",
    said: "Encryption turned on.",
    work: async () => (state.info = await app.api.request("system", "enable_tls")),
  });

/** @param {App} app */
const off = (app) =>
  askConfirmation(app, {
    title: "Turn off encryption?",
    text:
      "The certificate authority is deleted. If you turn encryption on again, every device needs " +
      "a new certificate.",
    verb: "Turn off encryption",
    said: "Encryption turned off.",
    isDanger: true,
    work: async () => (state.info = await app.api.request("system", "disable_tls")),
  });
