// The requests of one group: required role, parameters, reply, and examples.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { curl, message, python } from "./examples.js";

/** @typedef {import("./document.js").Action} Action */
/** @typedef {import("./document.js").Field} Field */

/** @type {Record<string, string>} */
const CHIPS = { viewer: "good", operator: "busy", admin: "warn" };

/** @param {string} title @param {Action[]} all @param {string} origin */
export function requests(title, all, origin) {
  return html`
    <section class="api-requests" aria-label=${title}>
      <h2>${title}</h2>
      ${all.length ? nothing : html`<p class="quiet">No matching requests.</p>`}
      ${repeat(
        all,
        (each) => each.id,
        (each) => request(each, origin),
      )}
    </section>
  `;
}

/** @param {Action} each @param {string} origin */
function request(each, origin) {
  return html`
    <details class="card api-request" data-request=${each.id}>
      <summary>
        <code>${each.action || each.path}</code>
        <span class="chip ${CHIPS[each.needs] ?? ""}">${each.needs || "anyone"}</span>
        <span class="api-text">${each.text}</span>
      </summary>
      <p class="api-path"><b>${each.methods.join(", ")}</b> <code>${each.path}</code></p>
      ${parameters(each)} ${reply(each)} ${example("Terminal", curl(each, origin))}
      ${
        each.action
          ? [example("Python", python(each, origin)), example("WebSocket", message(each))]
          : nothing
      }
    </details>
  `;
}

/** @param {Action} each */
function parameters(each) {
  if (each.bodyType) return html`<p class="quiet">The body is a file: ${each.bodyType}.</p>`;
  if (!each.params.length) return html`<p class="quiet">No parameters.</p>`;
  return html`<h3>Parameters</h3>
    ${table(each.params, true)}`;
}

/** @param {Action} each */
const reply = (each) => html`
  <h3>Reply</h3>
  ${each.answer ? html`<p class="quiet">${each.answer}</p>` : nothing}
  ${each.answers.length ? table(each.answers, false) : nothing}
`;

/** @param {Field[]} fields @param {boolean} isRequest */
export const table = (fields, isRequest) => html`
  <div class="table-wrap api-fields">
    <table class="table stacks">
      <thead>
        <tr><th>Name</th><th>Type</th>${isRequest ? html`<th>Default</th>` : nothing}</tr>
      </thead>
      <tbody>
        ${fields.map(
          (field) => html`
            <tr>
              <td data-label="Name"><code>${field.name}</code></td>
              <td data-label="Type">${field.type}</td>
              ${isRequest ? html`<td data-label="Default">${usualOf(field)}</td>` : nothing}
            </tr>
          `,
        )}
      </tbody>
    </table>
  </div>
`;

/** @param {Field} field */
const usualOf = ({ isRequired, usual }) =>
  isRequired ? html`<b>required</b>` : usual ? html`<code>${usual}</code>` : "–";

/** @param {string} title @param {string} text */
export const example = (title, text) => html`
  <div class="api-example">
    <h3>${title}</h3>
    <pre tabindex="0" aria-label=${title}>${text}</pre>
  </div>
`;
