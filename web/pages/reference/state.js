// Loads the robot's API documents once, and searches them.

import { readText } from "../../lib/transfer.js";
import { groups, topics } from "./document.js";

/** @typedef {import("../../context.js").With<"draw">} App */

export class ApiDocuments {
  /** @type {Map<string, import("./document.js").Action[]> | null} */ groups = null;
  /** @type {ReturnType<typeof topics> | null} */ topics = null;
  failure = "";
  search = "";
  #isLoading = false;

  /** @param {App} app */
  async load(app) {
    if (this.groups || this.#isLoading) return;
    this.#isLoading = true;
    this.failure = "";
    try {
      const [openapi, asyncapi] = await Promise.all([read("openapi"), read("asyncapi")]);
      Object.assign(this, { groups: groups(openapi), topics: topics(asyncapi) });
    } catch (err) {
      this.failure = /** @type {Error} */ (err).message || "The robot did not send the documents.";
    }
    this.#isLoading = false;
    app.draw();
  }

  /** Return the requests of a group, or the results of a search. @param {string} group */
  shown(group) {
    const query = this.search.trim().toLowerCase();
    const all = [...(this.groups?.values() ?? [])].flat();
    if (!query) return all.filter((each) => each.group === group);
    return all.filter((each) => `${each.path} ${each.text}`.toLowerCase().includes(query));
  }
}

/** @param {string} name */
const read = async (name) => JSON.parse(await readText(`/api/${name}.json`));
