// What stopped the wagon, and its faults: requested when the page opens and whenever state or fault
// change.

import { html } from "/vendor/lit-html/lit-html.js";
import { fixed, lately } from "../../lib/format.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./state.js").Wagon} Wagon */
/** @typedef {import("../../lib/types.js").WagonEvent} WagonEvent */

const SHOWN = 12;

class Events {
  /** @type {WagonEvent[] | null} */ #list = null;
  #key = "";

  open() {
    this.#key = "";
  }

  /** Request the list after a change. @param {App} app @param {Wagon} wagon */
  follow(app, { state, fault }) {
    const key = `${state} ${fault}`;
    if (this.#key === key || app.api.state !== "open") return;
    this.#key = key;
    this.#request(app);
  }

  view() {
    const list = this.#list ?? [];
    return html`
      <section class="card base-events" aria-labelledby="events-title">
        <header>
          <h2 id="events-title">Stops and faults</h2>
          <span class="quiet">since the router's start</span>
        </header>
        ${
          list.length
            ? html`<ul class="base-rows">${list.slice(0, SHOWN).map(row)}</ul>`
            : html`<p class="quiet">None.</p>`
        }
      </section>
    `;
  }

  /** @param {App} app */
  async #request(app) {
    try {
      this.#list = (await app.api.request("wagon", "get_events")).events ?? [];
    } catch {
      this.#key = ""; // the next state requests it again
      return;
    }
    app.draw();
  }
}

/** @param {WagonEvent} event */
const row = ({ time, until = null, text, pitch = null }) => html`
  <li data-event=${until === null ? "lasts" : "over"}>
    <time class="quiet number">${lately(time)}</time>
    <span>${text}${(pitch ?? 0) ** 2 > 400 ? ` (pitch ${fixed(pitch, 0)}°)` : ""}</span>
    <span class="chip ${until === null ? "bad" : "idle"}">
      ${until === null ? "Now" : `${fixed(until - time, 1)} s`}
    </span>
  </li>
`;

export const events = new Events();
