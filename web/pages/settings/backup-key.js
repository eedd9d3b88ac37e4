// The passphrase fields for the server's key in a backup, for download and restore. The passphrase
// stays in its field and is sent in the body of one request. Not here: these requests (backup.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";

const SHORTEST = 12; // as the robot requires
const NOT_ENCRYPTED =
  "Open this page with https:// first (Settings, Users): " +
  "a passphrase must not be sent unencrypted.";
const HINT = `At least ${SHORTEST} characters, such as five words. Without it the key is lost.`;

/**
 * Find the passphrase field.
 * @param {Element | null} place
 * @returns {HTMLInputElement | null}
 */
export const passphraseIn = (place) => place?.querySelector("input[data-passphrase]") ?? null;

/** The field for a download. */
export const keyField = () => html`
  <details class="with-key" @toggle=${forget}>
    <summary>Include the server's key, sealed with a passphrase</summary>
    <p class="quiet">
      With this key a replacement server can control the nodes; without it you reset each node by
      its button.
    </p>
    ${field("Passphrase", HINT, false)}
  </details>
`;

/** The field for a restore. @param {boolean} isBusy */
export const restoreKeyField = (isBusy) =>
  field(
    "Passphrase of the server's key",
    "Leave empty to keep the key of this server. Undo does not restore a replaced key.",
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
    ${isSecureContext ? nothing : html`<small class="hint">${NOT_ENCRYPTED}</small>`}
  </label>
  <label class="check">
    <input type="checkbox" ?disabled=${isBusy || !isSecureContext} @change=${show}>
    Show passphrase
  </label>
`;

/** Clear the field when it is folded, so that the next backup has no key. @param {Event} event */
function forget(event) {
  const place = /** @type {HTMLDetailsElement} */ (event.target);
  const input = passphraseIn(place);
  if (input && !place.open) input.value = "";
}

const show = withField((box) => {
  const input = passphraseIn(box.closest("details, form"));
  if (input) input.type = box.checked ? "text" : "password";
});
