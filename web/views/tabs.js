// The way between the pages.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { PAGES } from "../pages.js";

/** @param {import("../app.js").App} app */
export function tabs(app) {
  return html`
    <nav class="tabs" aria-label="Pages">
      ${PAGES.map(
        ({ name, title }) => html`
          <a href="#/${name}" aria-current=${name === app.router.name ? "page" : nothing}>
            ${title}${name === "firmware" ? sign(app) : nothing}
          </a>
        `,
      )}
    </nav>
  `;
}

/** That a roll-out runs or stands must be seen from everywhere. @param {import("../app.js").App} app */
function sign(app) {
  const state = app.store.data.firmware?.plan?.state;
  if (state === "running") return html`<i class="sign busy" title="A roll-out is running"></i>`;
  if (state === "paused") return html`<i class="sign busy" title="The roll-out is paused"></i>`;
  if (state === "halted") return html`<i class="sign bad" title="The roll-out was halted"></i>`;
  return nothing;
}
