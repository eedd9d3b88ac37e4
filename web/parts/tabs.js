// Tabs of a page, each with its own address, so that "back" and shared links work.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/**
 * @param {string} label of the navigation: "Settings"
 * @param {{href: string, title: string, sign?: unknown}[]} parts
 * @param {string} current href of the tab that is shown
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
