// How the robot is, in one line, and below it what needs a person.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { icon } from "../../parts/icons.js";
import { matters } from "./attention.js";

/** @typedef {import("../../context.js").With<"api" | "store">} App */

const SHOWN = 5;

/** @param {App} app */
export function sentence(app) {
  const { system } = app.store.data;
  if (!system || app.api.state !== "open") return "";
  if (system.estop?.active) return "Stopped";
  const found = matters(app.store.data);
  const bad = found.filter(({ kind }) => kind === "bad").length;
  if (bad) return bad === 1 ? "1 fault" : `${bad} faults`;
  return found.length ? "Running; something waits for you" : "All is well";
}

/** @param {App} app */
export function attention(app) {
  const { system, nodes } = app.store.data;
  // Its place is kept while nothing is known yet: what stands below must not jump.
  if (!system || !nodes)
    return html`<div class="card attention skeleton" aria-hidden="true"></div>`;
  const found = matters(app.store.data);
  return html`
    <section class="card attention" aria-label="What needs you">
      ${
        found.length
          ? nothing
          : html`<p class="attention-none">${icon("done", 20)} Nothing needs you now.</p>`
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
