// A section that a phone folds to its heading and one line of facts, until the user opens it. A
// wider window shows it whole.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../context.js").With<"draw">} App */

const narrow = matchMedia("(max-width: 700px)");
/** Whether the window is a phone's. */
export const isPhone = () => narrow.matches;

/** Sections that are open on a phone, for this visit. @type {Set<string>} */
const opened = new Set();

/**
 * The heading and, unless it is folded, the content.
 * @param {App} app
 * @param {string} id of the heading
 * @param {string} title
 * @param {unknown} facts in one line, beside the heading
 * @param {() => unknown} content
 * @param {{isRepeated?: boolean}} [options] `isRepeated`: the content says the facts as well, so
 *   that they stand beside a folded heading only
 */
export function fold(app, id, title, facts, content, { isRepeated = false } = {}) {
  if (!narrow.matches) {
    const beside = isRepeated ? nothing : html`<span class="quiet">${facts}</span>`;
    return html`
      <div class="section-head"><h2 id=${id}>${title}</h2>${beside}</div>
      ${content()}
    `;
  }
  const isOpen = opened.has(id);
  const toggle = () => {
    if (!opened.delete(id)) opened.add(id);
    app.draw();
  };
  return html`
    <h2 id=${id} class="fold-head">
      <button class="fold" type="button" data-fold=${id} aria-expanded=${isOpen} @click=${toggle}>
        <span>${title}</span>
        <span class="quiet">${isOpen ? nothing : facts}</span>
      </button>
    </h2>
    ${isOpen ? content() : nothing}
  `;
}
