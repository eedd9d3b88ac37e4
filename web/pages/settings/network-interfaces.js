// The table of the server's network interfaces.

import { html } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../../lib/types.js").NetworkInterface} Interface */

/** @param {Interface[]} interfaces */
export function interfaceTable(interfaces) {
  const cards = interfaces.filter((each) => each.place !== "own");
  if (!cards.length) return html`<p class="quiet">No network interface found.</p>`;
  return html`
    <div class="table-wrap">
      <table class="table stacks">
        <thead>
          <tr><th>Interface</th><th>Network</th><th>State</th><th>Addresses</th></tr>
        </thead>
        <tbody>
          ${cards.map(
            (card) => html`
              <tr>
                <td data-label="Interface">
                  <b>${card.name}</b>${card.is_wireless ? " (Wi-Fi)" : ""}
                </td>
                <td data-label="Network">
                  ${card.place === "inside" ? "inside (nodes)" : "outside"}
                </td>
                <td data-label="State">
                  <span class="chip ${card.is_up ? "good" : "idle"}"><i class="dot"></i>${
                    card.is_up ? "up" : "down"
                  }</span>
                </td>
                <td data-label="Addresses">
                  <span class="addresses">
                    ${
                      card.addresses.length
                        ? card.addresses.map((a) => html`<code>${a}</code>`)
                        : "none"
                    }
                  </span>
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}
