// Says whether the way to the robot can be read by others, and leads to the remedy.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** @param {{is_secure: boolean}} known */
export function trustHint({ is_secure }) {
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  if (is_secure || isHere) return nothing;
  return html`
    <p class="hint">
      This connection is not encrypted: who can read the network can read the password.
      <a href="/trust.html">Encrypt it</a>
    </p>
  `;
}
