// The passphrase of the server's key in a backup: typed when one is taken, asked for when one is
// restored. It stays in its field; the robot gets it in the body of one request. Not here: these
// requests (backup.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";

const SHORTEST = 12; // as the robot has it
const OPEN =
  "Open this page with https:// first (Encryption): " +
  "a passphrase must not go over an open connection.";
const HINT = `${SHORTEST} characters or more, such as five words; nobody opens the key without it.`;

/**
 * The field, where there is one.
 * @param {Element | null} place
 * @returns {HTMLInputElement | null}
 */
export const passphraseIn = (place) => place?.querySelector("input[data-passphrase]") ?? null;

/** With the download. */
export const keyField = () => html`
  <details class="with-key" @toggle=${forget}>
    <summary>Also the server's key, sealed with a passphrase</summary>
    <p class="quiet">
      With this key a replaced server goes on with its nodes; without it each node is reset by its
      button.
    </p>
    ${field("Passphrase", HINT, false)}
  </details>
`;

/** In the question before a restore. @param {boolean} isBusy */
export const restoreKeyField = (isBusy) =>
  field(
    "Passphrase of the server's key",
    "Leave it empty to keep the key that this server has. " +
      "Undo does not bring a replaced key back.",
    isBusy,
  );

/** @param {string} name @param {string} hint @param {boolean} isBusy */
const field = (name, hint, isBusy) => html`
  <label class="entry passphrase">
    <span>${name}</span>
    <input
      data-passphrase
      type="password"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      maxlength="1024"
      ?disabled=${isBusy || !isSecureContext}
    >
    <small class="hint">${hint}</small>
    ${isSecureContext ? nothing : html`<small class="hint">${OPEN}</small>`}
  </label>
  <label class="check">
    <input type="checkbox" ?disabled=${isBusy || !isSecureContext} @change=${show}>
    Show the passphrase
  </label>
`;

/** Closed again: the next backup is one without the key. @param {Event} event */
function forget(event) {
  const place = /** @type {HTMLDetailsElement} */ (event.target);
  const input = passphraseIn(place);
  if (input && !place.open) input.value = "";
}

const show = withField((box) => {
  const input = passphraseIn(box.closest("details, form"));
  if (input) input.type = box.checked ? "text" : "password";
});
