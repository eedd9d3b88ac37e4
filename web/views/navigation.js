// Navigation between the pages: a column, a rail of icons on narrow windows, and on a phone a sheet
// above the stop, open while app.isMenuOpen.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { menuPages, PAGES } from "../pages.js";
import { icon } from "../parts/icons.js";

/**
 * @typedef {import("../context.js").With<"draw" | "isMenuOpen" | "robot" | "router" | "store">} App
 */

/** @param {App} app */
export function navigation(app) {
  const close = () => app.isMenuOpen && ((app.isMenuOpen = false), app.draw());
  return html`
    <nav
      id="pages"
      class="pages ${app.isMenuOpen ? "is-open" : ""}"
      aria-label="Pages"
      @click=${close}
      @keydown=${(/** @type {KeyboardEvent} */ event) => event.key === "Escape" && close()}
    >
      ${menuPages(app).map(
        ({ name, title }) => html`
          <a href="/${name}" aria-current=${name === app.router.name ? "page" : nothing}>
            ${icon(name)}<span>${title}</span>${sign(app, name)}
          </a>
        `,
      )}
    </nav>
  `;
}

/** The button beside the stop on a phone. @param {App} app */
export function menuButton(app) {
  const shown = PAGES.find(({ name }) => name === app.router.name);
  const toggle = () => ((app.isMenuOpen = !app.isMenuOpen), app.draw());
  return html`
    <button
      class="menu-button"
      type="button"
      aria-controls="pages"
      aria-expanded=${app.isMenuOpen}
      @click=${toggle}
    >
      ${icon(app.isMenuOpen ? "close" : "menu", 24)}<span>${
        app.isMenuOpen ? "Close" : (shown?.title ?? "Pages")
      }</span>
    </button>
  `;
}

/**
 * A mark for what users must notice from every page.
 * @param {App} app
 * @param {string} name of the page with the details
 */
function sign(app, name) {
  const found = name === "firmware" ? rollout(app) : name === "nodes" ? waiting(app) : null;
  if (!found) return nothing;
  const [kind, text] = found;
  return html`<i class="sign ${kind}" role="img" aria-label=${text} title=${text}></i>`;
}

/** @param {App} app @returns {[string, string] | null} */
function rollout(app) {
  const state = app.store.data.firmware?.plan?.state;
  if (state === "running") return ["busy", "A roll-out is running"];
  if (state === "paused") return ["busy", "The roll-out is paused"];
  if (state === "halted") return ["bad", "The roll-out is halted"];
  return null;
}

/** @param {App} app @returns {[string, string] | null} */
function waiting(app) {
  const { nodes_offline: away = 0, nodes_unadopted: free = 0 } = app.store.data.system ?? {};
  if (away) return ["bad", away === 1 ? "1 node is offline" : `${away} nodes are offline`];
  if (free)
    return ["new", free === 1 ? "1 node waits for adoption" : `${free} nodes wait for adoption`];
  return null;
}
