// Reads the robot's API documents (OpenAPI, AsyncAPI) into actions and topics. No drawing.

/**
 * @typedef {object} Field one parameter, or one field of a reply
 * @property {string} name "route.id" is inside of "route"
 * @property {string} type described: "number, -1 to 1"
 * @property {boolean} isRequired
 * @property {string} usual default value; empty: none
 */

/**
 * @typedef {object} Action
 * @property {string} id
 * @property {string} group
 * @property {string} action empty: an HTTP request that is not an action
 * @property {string} path
 * @property {string[]} methods
 * @property {string} text
 * @property {string} needs required role; empty: none
 * @property {Field[]} params
 * @property {Record<string, unknown>} sample valid parameters
 * @property {string} answer description of the reply
 * @property {Field[]} answers fields of the reply
 * @property {string} bodyType media type of a body that is not JSON
 */

/**
 * @typedef {object} Schema JSON Schema, as far as the robot uses it
 * @property {string} [$ref]
 * @property {string} [type]
 * @property {unknown[]} [enum]
 * @property {unknown} [const]
 * @property {unknown} [default]
 * @property {Schema[]} [anyOf]
 * @property {Schema[]} [oneOf]
 * @property {Schema} [items]
 * @property {Record<string, Schema>} [properties]
 * @property {string[]} [required]
 * @property {Schema | boolean} [additionalProperties]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [minLength]
 * @property {number} [maxLength]
 */

/**
 * @typedef {Record<string, {schema?: Schema}>} Content by media type
 * @typedef {{name: string, schema: Schema, required?: boolean}} Parameter
 *
 * @typedef {object} Operation
 * @property {string} operationId
 * @property {string[]} tags
 * @property {string} summary
 * @property {string} [x-needs]
 * @property {Parameter[]} [parameters]
 * @property {{content?: Content}} [requestBody]
 * @property {Record<string, {description?: string, content?: Content}>} responses
 *
 * @typedef {{paths: Record<string, Record<string, Operation>>}} OpenApi
 * @typedef {{summary: string, payload: Schema}} Message
 * @typedef {{components: {messages: Record<string, Message>}}} AsyncApi
 * @typedef {OpenApi | AsyncApi} Document
 */

const ROOT = "/api/v1/";
const DEEPEST = 3;
const LARGEST = 1e6; // larger limits only keep numbers finite and are not shown

/**
 * Return all requests by group, actions first.
 * @param {OpenApi} openapi
 * @returns {Map<string, Action[]>}
 */
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

/**
 * @param {OpenApi} document
 * @param {string} path
 * @param {Record<string, Operation>} methods
 * @returns {Action}
 */
function action(document, path, methods) {
  const operation = methods.post ?? methods.get;
  const [bodyType, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [""];
  const schema = body?.schema ?? schemaOf(operation.parameters ?? []);
  const reply = operation.responses["200"] ?? {};
  return {
    id: operation.operationId,
    group: operation.tags[0],
    action: path.startsWith(ROOT) ? (path.slice(ROOT.length).split("/")[1] ?? "") : "",
    path,
    methods: Object.keys(methods).map((method) => method.toUpperCase()),
    text: operation.summary,
    needs: operation["x-needs"] ?? "",
    params: fields(document, schema),
    sample: sample(document, schema),
    answer: reply.description ?? "",
    answers: fields(document, reply.content?.["application/json"]?.schema),
    bodyType: bodyType === "application/json" ? "" : bodyType,
  };
}

/**
 * Describe query parameters as an object.
 * @param {Parameter[]} parameters
 * @returns {Schema}
 */
const schemaOf = (parameters) => ({
  type: "object",
  properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])),
  required: parameters.filter(({ required }) => required).map(({ name }) => name),
});

/** Return the live states: topic, description, fields. @param {AsyncApi} asyncapi */
export function topics(asyncapi) {
  return Object.entries(asyncapi.components.messages)
    .filter(([name]) => name.startsWith("state_"))
    .map(([name, message]) => ({
      name: name.slice("state_".length),
      text: message.summary.replace(/^Topic "[^"]*": /, ""),
      fields: fields(asyncapi, message.payload.properties?.data),
    }));
}

/**
 * Return the schema at "#/components/schemas/Route".
 * @param {Document} document
 * @param {string} place
 * @returns {Schema}
 */
function at(document, place) {
  /** @type {unknown} */
  let found = document;
  for (const key of place.slice(2).split("/")) {
    found = /** @type {Record<string, unknown> | undefined} */ (found)?.[key];
  }
  return /** @type {Schema} */ (found ?? {});
}

/** @param {Document} document @param {Schema} [schema] @returns {Schema} */
function resolved(document, schema) {
  let found = schema ?? {};
  for (let count = 0; found.$ref && count < 9; count++) {
    const { $ref, ...rest } = found;
    found = { ...at(document, $ref), ...rest };
  }
  const inner = (found.anyOf ?? found.oneOf ?? []).filter((each) => each.type !== "null");
  if (inner.length === 1)
    return {
      ...resolved(document, inner[0]),
      ...("default" in found && { default: found.default }),
    };
  return found;
}

/**
 * @param {Document} document
 * @param {Schema | undefined} schema
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
      isRequired: required.includes(name),
      usual,
    };
    return [own, ...fields(document, list, `${place}${list === inner ? "." : "[]."}`, depth + 1)];
  });
}

/** @param {Document} document @param {Schema} schema @returns {string} */
function words(document, schema) {
  const found = resolved(document, schema);
  if (found.enum) return `one of ${found.enum.join(", ")}`;
  if ("const" in found) return JSON.stringify(found.const);
  const several = found.anyOf ?? found.oneOf;
  if (several) return several.map((each) => words(document, each)).join(" or ");
  if (found.type === "array") return `list of ${words(document, found.items ?? {})}`;
  if (found.type === "object" && found.additionalProperties && !found.properties) {
    const inner = found.additionalProperties;
    return `by name: ${words(document, inner === true ? {} : inner)}`;
  }
  /** @type {Record<string, string>} */
  const plain = {
    string: "text",
    integer: "whole number",
    boolean: "true or false",
    object: "object",
    null: "nothing",
  };
  const word = plain[found.type ?? ""] ?? found.type ?? "anything";
  return [word, ...bounds(found)].join(", ");
}

/** @param {Schema} schema */
function bounds({ minimum, maximum, minLength, maxLength }) {
  const isLimit = (/** @type {number | undefined} */ number) =>
    number !== undefined && Math.abs(number) < LARGEST;
  const found = [];
  if (isLimit(minimum) && isLimit(maximum)) found.push(`${minimum} to ${maximum}`);
  else if (isLimit(minimum)) found.push(`${minimum} or more`);
  else if (isLimit(maximum)) found.push(`${maximum} or less`);
  if (minLength) found.push("not empty");
  if (isLimit(maxLength)) found.push(`at most ${maxLength} characters`);
  return found;
}

/**
 * Return valid sample parameters: the required ones, or the first one.
 * @param {Document} document
 * @param {Schema} [schema]
 */
function sample(document, schema) {
  const { properties = {}, required = [] } = resolved(document, schema);
  const names = Object.keys(properties);
  const chosen = required.length ? required : names.slice(0, 1);
  return Object.fromEntries(chosen.map((name) => [name, value(document, properties[name], name)]));
}

/** @type {Record<string, string>} */
const SAMPLES = { node_id: "sim_head", name: "desk", password: "a long sentence" };

/**
 * @param {Document} document
 * @param {Schema} schema
 * @param {string} name
 * @param {number} [depth]
 * @returns {unknown}
 */
function value(document, schema, name, depth = 0) {
  const found = resolved(document, schema);
  if (found.enum) return found.enum[0];
  if ("const" in found) return found.const;
  const [first] = found.anyOf ?? found.oneOf ?? [];
  if (first) return value(document, first, name, depth);
  if (found.type === "boolean") return true;
  if (found.type === "integer" || found.type === "number")
    return Math.min(found.maximum ?? 10, Math.max(found.minimum ?? 10, 10));
  if (found.type === "array")
    return depth < DEEPEST ? [value(document, found.items ?? {}, name, depth + 1)] : [];
  if (found.type !== "object") return found.default || SAMPLES[name] || name;
  const needed = depth < DEEPEST ? (found.required ?? []) : [];
  return Object.fromEntries(
    needed.map((each) => [each, value(document, found.properties?.[each] ?? {}, each, depth + 1)]),
  );
}
