// Searches nodes, parts, routes, LiveLink subjects, pages and settings by name. Not here: opening
// the finder (finder-button.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../lib/events.js";
import { sourceName, targetName, words } from "../lib/format.js";
import { givenName, nodeTitle } from "../lib/robot/nodes.js";
import { addressOf } from "../lib/robot/parts.js";
import { dialog } from "../parts/dialog.js";
import { PLACES } from "./places.js";

/** @typedef {import("../context.js").With<"api" | "dialogs" | "draw" | "robot" | "router">} App */
/** @typedef {import("../lib/types.js").Actions} Actions */
/** @typedef {import("../lib/types.js").NodeList} NodeList */
/** @typedef {import("../lib/types.js").RouteList} RouteList */
/** @typedef {import("../lib/types.js").SubjectList} SubjectList */
/** @typedef {import("./places.js").Found} Found */

const MOST = 9;
export class Finder {
  query = "";
  /** Index of the selected result. */ at = 0;
  /** Nodes, routes and subjects of this robot. @type {Found[]} */ #own = [];
  /** @type {App["robot"]} */ #robot = null;

  /** Request nodes, routes and subjects; a failed request leaves its kind out. @param {App} app */
  load(app) {
    this.#robot = app.robot;
    this.#add(app, "management", "list_nodes", nodesOf);
    this.#add(app, "robot", "parts", partsOf);
    this.#add(app, "router", "list_routes", routesOf);
    this.#add(app, "router", "list_livelink_sources", subjectsOf);
  }

  /**
   * @param {App} app
   * @template {keyof Actions} Group
   * @template {keyof Actions[Group]} Name
   * @param {Group} group
   * @param {Name} action
   * @param {(reply: import("../lib/api.js").Reply<Group, Name>) => Found[]} read
   */
  async #add(app, group, action, read) {
    try {
      this.#own.push(...read(await app.api.request(group, action)));
      app.draw();
    } catch {
      // The other kinds can still be found.
    }
  }

  /** Results; titles that begin with the query come first. @returns {Found[]} */
  get found() {
    const typed = this.query.toLowerCase().split(/\s+/).filter(Boolean);
    const places = PLACES.filter(({ isOf }) => isOf?.(this.#robot) ?? true);
    const all = [...this.#own, ...places];
    if (!typed.length) return places.slice(0, MOST);
    return all
      .filter((each) => typed.every((word) => textOf(each).includes(word)))
      .sort((a, b) => rank(b, typed) - rank(a, typed))
      .slice(0, MOST);
  }

  /** @param {App} app */
  view(app) {
    const { found } = this;
    this.at = Math.min(this.at, Math.max(0, found.length - 1));
    return dialog(
      this,
      () => close(app),
      () => this.#content(app, found),
      "Find",
    );
  }

  /** @param {App} app @param {Found[]} found */
  #content(app, found) {
    return html`
      <input
        class="finder-field"
        type="search"
        role="combobox"
        aria-label="Find a node, a route, a subject, a page"
        aria-expanded="true"
        aria-controls="finder-list"
        aria-autocomplete="list"
        aria-activedescendant=${found.length ? `finder-${this.at}` : nothing}
        placeholder="Node, route, subject, page…"
        autocomplete="off"
        spellcheck="false"
        .value=${this.query}
        @input=${withValue((value) => (Object.assign(this, { query: value, at: 0 }), app.draw()))}
        @keydown=${(/** @type {KeyboardEvent} */ event) => this.#key(app, event, found)}
      >
      <ul class="finder-list" id="finder-list" role="listbox" aria-label="Found">
        ${found.map(
          ({ title, kind, href }, at) => html`
            <li
              id=${`finder-${at}`}
              role="option"
              aria-selected=${at === this.at}
              data-found=${href}
              @click=${() => go(app, href)}
            >
              <span>${title}</span><small class="quiet">${kind}</small>
            </li>
          `,
        )}
      </ul>
      <p class="quiet" role="status">
        ${found.length ? "" : `No results for “${this.query}”.`}
      </p>
    `;
  }

  /** @param {App} app @param {KeyboardEvent} event @param {Found[]} found */
  #key(app, event, found) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key] ?? 0;
    if (step && found.length) this.at = (this.at + step + found.length) % found.length;
    else if (event.key === "Enter" && found.length) go(app, found[this.at].href);
    else return;
    event.preventDefault();
    app.draw();
  }
}

/** @param {Found} each */
const textOf = ({ title, kind, words = "" }) => `${title} ${kind} ${words}`.toLowerCase();

/**
 * Titles that begin with the query come before titles that have it, those before other words.
 * @param {Found} each
 * @param {string[]} typed
 */
function rank(each, typed) {
  const title = each.title.toLowerCase();
  return Number(title.startsWith(typed[0])) + Number(typed.every((word) => title.includes(word)));
}

/** @param {App} app */
function close(app) {
  app.dialogs.finder = null;
  app.draw();
}

/** @param {App} app @param {string} href */
function go(app, href) {
  close(app);
  app.router.go(href);
}

/** @param {NodeList} reply @returns {Found[]} */
const nodesOf = ({ nodes }) =>
  nodes.map((node) => ({
    title: [nodeTitle(node), givenName(node), node.node_id].filter(Boolean).join(" · "),
    kind: "Node",
    href: `/nodes/${encodeURIComponent(node.node_id)}`,
  }));

/** @param {import("../lib/types.js").RobotParts} reply @returns {Found[]} */
const partsOf = ({ parts }) =>
  parts.map((part) => ({
    title: [words(part.name), part.place].filter(Boolean).join(" · "),
    kind: `Part, ${targetName(part.target)}`,
    href: addressOf(part),
  }));

/** @param {RouteList} reply @returns {Found[]} */
const routesOf = ({ routes }) =>
  routes.map(({ route }) => ({
    title: route.id,
    kind: `Route, ${sourceName(route.input.source)} to ${targetName(route.output.target)}`,
    href: `/routes/${encodeURIComponent(route.id)}`,
  }));

/** @param {SubjectList} reply @returns {Found[]} */
const subjectsOf = ({ sources }) =>
  sources.map(({ subject_name: title }) => ({
    title,
    kind: "LiveLink subject",
    href: "/inputs/livelink",
  }));
