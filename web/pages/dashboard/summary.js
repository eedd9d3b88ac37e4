// The state of the robot in one line, and the card with the problems that need the user.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "../../parts/icons.js";
import { problems } from "./attention.js";

/** @typedef {import("../../context.js").With<"api" | "store">} App */

const SHOWN = 5;

/** @param {App} app */
export function sentence(app) {
  const { system } = app.store.data;
  if (!system || app.api.state !== "open") return "";
  if (system.estop?.active) return "Stopped";
  const found = problems(app.store.data);
  const bad = found.filter(({ kind }) => kind === "bad").length;
  if (bad) return bad === 1 ? "1 fault" : `${bad} faults`;
  return found.length ? "Running; needs attention" : "Running";
}

/** @param {App} app */
export function attention(app) {
  const { system, nodes } = app.store.data;
  // A placeholder keeps the space until the data is known, so that the page does not jump.
  if (!system || !nodes)
    return html`<div class="card attention skeleton" aria-hidden="true"></div>`;
  const found = problems(app.store.data);
  return html`
    <section class="card attention" aria-label="Needs attention">
      ${
        found.length
          ? nothing
          : html`<p class="attention-none">${icon("done", 20)} Nothing needs attention.</p>`
      }
      <ul>
        ${found.slice(0, SHOWN).map(
          ({ kind, text, href }) => html`
            <li class="is-${kind}" data-matter=${kind}>
              ${icon("alert", 20)}
              ${href ? html`<a href=${href}>${text}</a>` : html`<span>${text}</span>`}
            </li>
          `,
        )}
      </ul>
      ${
        found.length > SHOWN ? html`<p class="quiet">and ${found.length - SHOWN} more</p>` : nothing
      }
    </section>
  `;
}
