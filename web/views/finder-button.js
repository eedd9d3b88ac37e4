// Opens the finder by its button or by Ctrl+K (Cmd+K). The finder itself (finder.js) is fetched at
// the first use.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "../parts/icons.js";

/**
 * @typedef {import("../context.js").With<"api" | "dialogs" | "draw" | "robot" | "router" |
 *   "toasts">} App
 */

/** Listen for the finder's key. @param {App} app */
export function listenForFinder(app) {
  addEventListener("keydown", (event) => {
    if (
      event.code !== "KeyK" ||
      !(event.ctrlKey || event.metaKey) ||
      event.altKey ||
      event.shiftKey
    )
      return;
    event.preventDefault(); // browsers use the key for their own search
    open(app);
  });
}

/**
 * Draw the button, disabled without a connection so that the header does not jump.
 * @param {App} app
 */
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

/** Open the finder unless another dialog is open. @param {App} app */
async function open(app) {
  const isFree = () => app.api.state === "open" && !Object.values(app.dialogs).some(Boolean);
  if (!isFree()) return;
  try {
    const { Finder } = await import("./finder.js");
    if (!isFree()) return;
    app.dialogs.finder = new Finder();
    app.dialogs.finder.load(app);
    app.draw();
  } catch {
    app.toasts.failed(new Error("Loading the finder failed. Check the network and try again."));
  }
}
