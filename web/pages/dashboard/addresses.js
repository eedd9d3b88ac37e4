// The server's addresses: where nodes and users reach it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { Fetched } from "../../lib/fetched.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").NetworkInterface} Interface */

const NETWORKS = /** @type {const} */ ([
  ["inside", "nodes"],
  ["outside", "outside"],
]);

export const serverNetwork = new Fetched((api) => api.request("settings", "get"));

/** @param {App} app */
export function addresses(app) {
  const known = serverNetwork.get(app);
  if (!known) return nothing;
  const places = NETWORKS.map(([place, title]) => [title, firstAddress(known.interfaces, place)]);
  return html`<span data-network>
    · <code>${known.hostname}.local</code>${places
      .filter(([, address]) => address)
      .map(([title, address]) => html` · ${title} <code>${address}</code>`)}
  </span>`;
}

/**
 * Return the address of a network without its prefix length, IPv4 first; of several interfaces
 * that of the first with one.
 * @param {Interface[]} interfaces
 * @param {string} place
 */
function firstAddress(interfaces, place) {
  const all = interfaces.filter((each) => each.place === place).flatMap((each) => each.addresses);
  const found = all.find((each) => !each.includes(":")) ?? all[0] ?? "";
  return found.split("/")[0];
}
