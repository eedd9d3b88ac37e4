// What an address shows that leads nowhere: an old link, or a mistyped one.

import { html } from "/vendor/lit-html/lit-html.js";

/** @type {import("../lib/router.js").PageModule} */
export const nowhere = {
  topics: {},
  view: () => html`
    <div class="card empty" data-nowhere>
      <h1>There is no such page</h1>
      <p>
        The address <code>${location.hash}</code> leads nowhere. The pages of this robot stand in
        the menu.
      </p>
      <p><a class="button" href="#/dashboard">To the dashboard</a></p>
    </div>
  `,
};
