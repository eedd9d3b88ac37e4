// The pages of this site: which one is shown (the address says so), and the way between them.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

const PAGES = [
  { name: "dashboard", title: "Dashboard" },
  { name: "drive", title: "Drive" },
  { name: "firmware", title: "Firmware" },
];

/** Name of the page that the address asks for. */
export function currentPage() {
  const asked = location.hash.replace(/^#\/?/, "");
  return PAGES.some((page) => page.name === asked) ? asked : "dashboard";
}

/** @param {import("../app.js").App} app */
export function tabs(app) {
  const shown = currentPage();
  return html`
    <nav class="tabs" aria-label="Pages">
      ${PAGES.map(
        ({ name, title }) => html`
          <a href="#/${name}" aria-current=${name === shown ? "page" : nothing}>
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
