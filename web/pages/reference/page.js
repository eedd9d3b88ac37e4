// The page "API" (/reference, /reference/head): the requests that programs can send to this robot.
// Not in the menu; the settings link to it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { introduction, topicList } from "./guide.js";
import { requests } from "./requests.js";
import { ApiDocuments } from "./state.js";

/** @typedef {import("../../context.js").With<"draw">} App */

const documents = new ApiDocuments();
const TOPICS = "topics";

/** @param {App} app @param {string} rest */
function view(app, rest) {
  return html`
    <div class="page-head">
      <h1>API</h1>
      <div class="toolbar">
        <a class="button small" href="/api/openapi.json" download="openapi.json">OpenAPI</a>
        <a class="button small" href="/api/asyncapi.json" download="asyncapi.json">AsyncAPI</a>
      </div>
    </div>
    ${documents.groups ? body(app, rest) : waiting(app)}
  `;
}

/** @param {App} app */
function waiting(app) {
  if (!documents.failure) return html`<div class="card skeleton api-skeleton"></div>`;
  return html`
    <div class="notice" role="alert">
      <strong>Loading the API documents failed.</strong> ${documents.failure}
      <button class="button small" type="button" @click=${() => documents.load(app)}>
        Try again
      </button>
    </div>
  `;
}

/** @param {App} app @param {string} rest */
function body(app, rest) {
  const names = [...(documents.groups?.keys() ?? [])];
  const find = withValue((value) => ((documents.search = value), app.draw()));
  return html`
    <div class="api">
      <div class="api-side">
        <label class="entry">
          <span>Search</span>
          <input
            type="search"
            maxlength="60"
            placeholder="estop"
            .value=${documents.search}
            @input=${find}
          >
        </label>
        <nav class="api-nav" aria-label="Groups">
          ${link("", "First steps", rest)} ${link(TOPICS, "Live states", rest)}
          ${names.map((name) => link(name, name, rest))}
        </nav>
      </div>
      <div class="api-body">${shown(rest)}</div>
    </div>
  `;
}

/** @param {string} name @param {string} title @param {string} current */
const link = (name, title, current) => html`
  <a
    href=${name ? `/reference/${name}` : "/reference"}
    aria-current=${name === current && !documents.search ? "page" : nothing}
    @click=${() => (documents.search = "")}
    >${title}</a
  >
`;

/** @param {string} rest */
function shown(rest) {
  if (documents.search.trim()) {
    return requests(
      `Results for “${documents.search.trim()}”`,
      documents.shown(""),
      location.origin,
    );
  }
  if (rest === TOPICS) return topicList(documents.topics ?? []);
  if (documents.groups?.has(rest)) return requests(rest, documents.shown(rest), location.origin);
  return introduction(location.origin);
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: {},
  view,
  open: (app) => documents.load(app),
};
