// From the robot's own documents (OpenAPI, AsyncAPI) to what the page shows. Nothing is drawn here.

/**
 * @typedef {object} Field one param, or one thing of an answer
 * @property {string} name "route.id" lies inside of "route"
 * @property {string} type in words: "number, -1 to 1"
 * @property {boolean} isNeeded
 * @property {string} usual what it is when it is left out; empty: nothing
 */

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} group
 * @property {string} action empty: a request that is no action
 * @property {string} path
 * @property {string[]} methods
 * @property {string} text
 * @property {string} needs level; empty: anyone may ask
 * @property {Field[]} params
 * @property {Record<string, unknown>} sample params that are in order
 * @property {string} answer
 * @property {Field[]} answers
 * @property {string} bodyType of what is sent, where it is no JSON of params
 */

const ROOT = "/api/v1/";
const DEEPEST = 3;
const LARGEST = 1e6; // a limit that only keeps numbers finite is not told

/** All requests by group, actions first. @param {any} openapi @returns {Map<string, Action[]>} */
export function groups(openapi) {
  const found = Object.entries(openapi.paths).map(([path, methods]) =>
    action(openapi, path, methods),
  );
  const order = (/** @type {Action} */ { action, group }) => `${action ? 0 : 1}${group}`;
  const isFirst = (/** @type {Action} */ one, /** @type {Action} */ two) =>
    order(one).localeCompare(order(two));
  /** @type {Map<string, Action[]>} */
  const all = new Map();
  for (const each of found.sort(isFirst))
    all.set(each.group, [...(all.get(each.group) ?? []), each]);
  return all;
}

/** @param {any} document @param {string} path @param {any} methods @returns {Action} */
function action(document, path, methods) {
  const told = methods.post ?? methods.get;
  const [bodyType, body] = Object.entries(told.requestBody?.content ?? {})[0] ?? ["", null];
  const schema = /** @type {any} */ (body)?.schema ?? queried(told.parameters ?? []);
  const reply = told.responses["200"] ?? {};
  return {
    id: told.operationId,
    group: told.tags[0],
    action: path.startsWith(ROOT) ? (path.slice(ROOT.length).split("/")[1] ?? "") : "",
    path,
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
    text: told.summary,
    needs: told["x-needs"] ?? "",
    params: fields(document, schema),
    sample: sample(document, schema),
    answer: reply.description ?? "",
    answers: fields(document, reply.content?.["application/json"]?.schema),
    bodyType: bodyType === "application/json" ? "" : bodyType,
  };
}

/** @param {any[]} parameters as an object of the same names */
const queried = (parameters) => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** The live states: topic, sentence, fields. @param {any} asyncapi */
export function topics(asyncapi) {
  return Object.entries(asyncapi.components.messages)
    .filter(([name]) => name.startsWith("state_"))
    .map(([name, message]) => ({
      name: name.slice("state_".length),
      text: message.summary.replace(/^Topic "[^"]*": /, ""),
      fields: fields(asyncapi, message.payload.properties.data),
    }));
}

/** @param {any} document @param {any} schema @returns {any} */
function resolved(document, schema) {
  let found = schema ?? {};
  for (let count = 0; found.$ref && count < 9; count++) {
    const rest = { ...found };
    delete rest.$ref;
    const place = found.$ref.slice(2).split("/");
    found = {
      ...place.reduce((/** @type {any} */ at, /** @type {string} */ key) => at?.[key], document),
      ...rest,
    };
  }
  const inner = (found.anyOf ?? found.oneOf ?? []).filter(
    (/** @type {any} */ each) => each.type !== "null",
  );
  if (inner.length === 1)
    return {
      ...resolved(document, inner[0]),
      ...("default" in found && { default: found.default }),
    };
  return found;
}

/**
 * @param {any} document
 * @param {any} schema
 * @param {string} [before]
 * @param {number} [depth]
 * @returns {Field[]}
 */
function fields(document, schema, before = "", depth = 0) {
  const { properties, required = [] } = resolved(document, schema);
  if (!properties || depth >= DEEPEST) return [];
  return Object.entries(properties).flatMap(([name, each]) => {
    const inner = resolved(document, each);
    const list = inner.type === "array" ? resolved(document, inner.items) : inner;
    const place = `${before}${name}`;
    const usual = "default" in inner && inner.default !== null ? JSON.stringify(inner.default) : "";
    const own = {
      name: place,
      type: words(document, inner),
      isNeeded: required.includes(name),
      usual,
    };
    return [own, ...fields(document, list, `${place}${list === inner ? "." : "[]."}`, depth + 1)];
  });
}

/** @param {any} document @param {any} schema @returns {string} */
function words(document, schema) {
  const found = resolved(document, schema);
  if (found.enum) return `one of ${found.enum.join(", ")}`;
  if ("const" in found) return JSON.stringify(found.const);
  const several = found.anyOf ?? found.oneOf;
  if (several) return several.map((/** @type {any} */ each) => words(document, each)).join(" or ");
  if (found.type === "array") return `list of ${words(document, found.items ?? {})}`;
  if (found.type === "object" && found.additionalProperties && !found.properties) {
    const inner = found.additionalProperties;
    return `by name: ${words(document, inner === true ? {} : inner)}`;
  }
  const plain = {
    string: "text",
    integer: "whole number",
    boolean: "true or false",
    object: "object",
    null: "nothing",
  };
  const word = /** @type {any} */ (plain)[found.type] ?? found.type ?? "anything";
  return [word, ...bounds(found)].join(", ");
}

/** @param {any} schema */
function bounds({ minimum, maximum, minLength, maxLength }) {
  const told = (/** @type {number | undefined} */ number) =>
    number !== undefined && Math.abs(number) < LARGEST;
  const found = [];
  if (told(minimum) && told(maximum)) found.push(`${minimum} to ${maximum}`);
  else if (told(minimum)) found.push(`${minimum} or more`);
  else if (told(maximum)) found.push(`${maximum} or less`);
  if (minLength) found.push("not empty");
  if (told(maxLength)) found.push(`${maxLength} characters at most`);
  return found;
}

/**
 * Params that are in order: what is needed, else the first one.
 * @param {any} document
 * @param {any} schema
 */
function sample(document, schema) {
  const { properties = {}, required = [] } = resolved(document, schema);
  const names = Object.keys(properties);
  const chosen = required.length ? required : names.slice(0, 1);
  return Object.fromEntries(
    chosen.map((/** @type {string} */ name) => [name, value(document, properties[name], name)]),
  );
}

const SAMPLES = { node_id: "sim_head", name: "desk", password: "a long sentence" };

/**
 * @param {any} document
 * @param {any} schema
 * @param {string} name
 * @param {number} [depth]
 * @returns {unknown}
 */
function value(document, schema, name, depth = 0) {
  const found = resolved(document, schema);
  if (found.enum) return found.enum[0];
  if ("const" in found) return found.const;
  if (found.anyOf ?? found.oneOf)
    return value(document, (found.anyOf ?? found.oneOf)[0], name, depth);
  if (found.type === "boolean") return true;
  if (found.type === "integer" || found.type === "number")
    return Math.min(found.maximum ?? 10, Math.max(found.minimum ?? 10, 10));
  if (found.type === "array")
    return depth < DEEPEST ? [value(document, found.items ?? {}, name, depth + 1)] : [];
  if (found.type !== "object") return found.default || /** @type {any} */ (SAMPLES)[name] || name;
  const needed = depth < DEEPEST ? (found.required ?? []) : [];
  return Object.fromEntries(
    needed.map((/** @type {string} */ each) => [
      each,
      value(document, found.properties[each], each, depth + 1),
    ]),
  );
}
