// The page for an unknown address, such as an old or mistyped link.

import { html } from "/vendor/lit-html/lit-html.js";

/** @type {import("../lib/router.js").PageModule} */
export const notFound = {
  topics: {},
  view: () => html`
    <div class="card empty" data-not-found>
      <h1>Page not found</h1>
      <p>This robot has no page at <code>${location.pathname}</code>. Choose a page from the
        menu.</p>
      <p><a class="button" href="/dashboard">Open the dashboard</a></p>
    </div>
  `,
};
