// The documents while the page is open: fetched once, told when they cannot be.

import { readText } from "../../lib/transfer.js";
import { groups, topics } from "./document.js";

/** @typedef {import("../../context.js").With<"draw">} App */

export class Documents {
  /** @type {Map<string, import("./document.js").Action[]> | null} */ groups = null;
  /** @type {ReturnType<typeof topics> | null} */ topics = null;
  failure = "";
  search = "";
  #isAsking = false;

  /** @param {App} app */
  async load(app) {
    if (this.groups || this.#isAsking) return;
    this.#isAsking = true;
    this.failure = "";
    try {
      const [openapi, asyncapi] = await Promise.all([read("openapi"), read("asyncapi")]);
      Object.assign(this, { groups: groups(openapi), topics: topics(asyncapi) });
    } catch (err) {
      this.failure = /** @type {Error} */ (err).message || "The robot did not send them.";
    }
    this.#isAsking = false;
    app.draw();
  }

  /** Requests of a group, or all that the search finds. @param {string} group */
  shown(group) {
    const wanted = this.search.trim().toLowerCase();
    const all = [...(this.groups?.values() ?? [])].flat();
    if (!wanted) return all.filter((each) => each.group === group);
    return all.filter((each) => `${each.path} ${each.text}`.toLowerCase().includes(wanted));
  }
}

/** @param {string} name */
const read = async (name) => JSON.parse(await readText(`/api/${name}.json`));
