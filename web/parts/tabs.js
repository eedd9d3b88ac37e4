// Parts of one page, each with an address of its own, so that "back" works and links can be sent.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/**
 * @param {string} label what they are parts of: "Settings"
 * @param {{href: string, title: string, sign?: unknown}[]} parts
 * @param {string} current href of the one that is shown
 */
export function tabs(label, parts, current) {
  return html`
    <nav class="tabs" aria-label=${label}>
      ${parts.map(
        ({ href, title, sign }) => html`
          <a href=${href} aria-current=${href === current ? "page" : nothing}>${title}${
            sign ?? nothing
          }</a>
        `,
      )}
    </nav>
  `;
}
