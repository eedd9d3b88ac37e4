// Examples of a request for a terminal, for Python and for the WebSocket.

/** @typedef {import("./document.js").Action} Action */

/** Return a curl command. @param {Action} each @param {string} origin of the robot */
export function curl(each, origin) {
  const isPost = each.methods.includes("POST");
  const parts = ["curl"];
  if (each.needs) parts.push(`-H "Authorization: Bearer $TOKEN"`);
  if (each.bodyType) parts.push("--data-binary @FILE");
  else if (isPost) parts.push(`--json ${quoted(JSON.stringify(each.sample))}`);
  parts.push(quoted(origin + (isPost ? each.path : each.path.replace(/\{(\w+)\}/g, "$1"))));
  return parts.join(" \\\n  ");
}

/** Return a Python program. @param {Action} each @param {string} origin */
export function python(each, origin) {
  const given = Object.keys(each.sample).length ? `, ${literal(each.sample)}` : "";
  return [
    "import asyncio",
    "",
    "from saint_services.client import Robot",
    "",
    "",
    "async def main() -> None:",
    `    async with Robot("${origin}", token="...") as robot:`,
    `        print(await robot.request("${each.group}", "${each.action}"${given}))`,
    "",
    "",
    "asyncio.run(main())",
  ].join("\n");
}

/** Return a message for the WebSocket, /api/ws. @param {Action} each */
export const message = (each) =>
  JSON.stringify({ id: 1, type: each.group, action: each.action, params: each.sample });

/** Quote for a shell. @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Return a Python literal. @param {unknown} value @returns {string} */
function literal(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const inner = Object.entries(/** @type {object} */ (value)).map(
    ([key, each]) => `"${key}": ${literal(each)}`,
  );
  return `{${inner.join(", ")}}`;
}
