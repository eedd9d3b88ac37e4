// The way into the finder: its button and its key, Ctrl+K (Cmd+K). The finder itself is fetched
// when it is first wanted (finder.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "../parts/icons.js";

/** @typedef {import("../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */

/** Open it by its key, from now on. @param {App} app */
export function listenForFinder(app) {
  addEventListener("keydown", (event) => {
    if (
      event.code !== "KeyK" ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return;
    event.preventDefault(); // a browser has the key for its own search
    open(app);
  });
}

/** Its place is kept while nothing can be found: the header must not jump. @param {App} app */
export function findButton(app) {
  return html`
    <button
      class="icon-button"
      type="button"
      data-find
      aria-label="Find"
      aria-keyshortcuts="Control+K Meta+K"
      title="Find (Ctrl+K)"
      ?disabled=${app.api.state !== "open"}
      @click=${() => open(app)}
    >
      ${icon("search")}
    </button>
  `;
}

/** @param {App} app */
export const findDialog = (app) => app.dialogs.finder?.view(app) ?? nothing;

/** Not above another dialog: that one waits for an answer. @param {App} app */
async function open(app) {
  const isFree = () => app.api.state === "open" && !Object.values(app.dialogs).some(Boolean);
  if (!isFree()) return;
  try {
    const { Finder } = await import("./finder.js");
    if (!isFree()) return;
    app.dialogs.finder = new Finder();
    app.dialogs.finder.ask(app);
    app.draw();
  } catch {
    app.toasts.failed(new Error("The finder could not be fetched."));
  }
}
