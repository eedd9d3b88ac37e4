// Describes the differences between two sets of routes. Pure.

import { compact, same } from "./model.js";

/** @typedef {import("../../lib/types.js").Blending} Blending */

/** @typedef {import("./model.js").Route} Route */
/** @typedef {{id: string, kind: "new" | "gone" | "changed", what: string}} Change */

/**
 * @param {{routes: Route[], blending: Blending | null}} before
 * @param {{routes: Route[], blending: Blending | null}} after
 * @returns {Change[]}
 */
export function changes(before, after) {
  const known = new Map(before.routes.map((route) => [route.id, route]));
  /** @type {Change[]} */
  const found = [];
  for (const route of after.routes) {
    const old = known.get(route.id);
    known.delete(route.id);
    if (!old) found.push({ id: route.id, kind: "new", what: summary(route) });
    else if (!same(old, route))
      found.push({ id: route.id, kind: "changed", what: difference(old, route) });
  }
  for (const route of known.values())
    found.push({ id: route.id, kind: "gone", what: summary(route) });
  if (!same(before.blending, after.blending)) {
    const old = new Map(Object.entries(before.blending ?? {}));
    const different = Object.entries(after.blending ?? {}).filter(
      ([key, value]) => !same(old.get(key), value),
    );
    const keys = different.map(([key]) => key);
    found.push({
      id: "Blending",
      kind: "changed",
      what: keys.map(spoken).join(", "),
    });
  }
  return found;
}

/** @param {Route} route */
function summary(route) {
  const count =
    route.mapping === "passthrough" ? "passthrough" : plural(route.mapping.length, "mapping");
  const target = route.output.target === "*" ? "any target" : route.output.target;
  return `${route.input.source} to ${target}, ${count}`;
}

/** @param {Route} old @param {Route} route */
function difference(old, route) {
  const [a, b] = [compact(old), compact(route)];
  const keys = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  const parts = keys.filter(
    (key) => !same(a[/** @type {"id"} */ (key)], b[/** @type {"id"} */ (key)]),
  );
  return parts.map((key) => (key === "mapping" ? mappings(old, route) : spoken(key))).join(", ");
}

/** @param {Route} old @param {Route} route */
function mappings(old, route) {
  if (old.mapping === "passthrough" || route.mapping === "passthrough") return "mappings";
  const [before, after] = [old.mapping, route.mapping];
  const different = after.filter((each) => !before.some((other) => same(each, other))).length;
  const gone = Math.max(0, before.length - after.length);
  return (
    [
      different && `${plural(different, "mapping")} new or changed`,
      gone && `${plural(gone, "mapping")} fewer`,
    ]
      .filter(Boolean)
      .join(", ") || "order of mappings"
  );
}

/** @param {string} key */
const spoken = (key) => key.replaceAll("_ms", "").replaceAll("_", " ");

/** @param {number} count @param {string} noun */
export const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
