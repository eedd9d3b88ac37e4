// Relates routes, inputs and outputs: which source feeds which route, which route drives which
// field, and each route's state. Pure. Not here: requests (state.js), drawing.

/** @typedef {import("../../lib/types.js").InputsState} InputsState */
/** @typedef {import("../../lib/types.js").OutputsState} OutputsState */

/** @typedef {import("../../lib/types.js").RouteInput["source"]} Kind */
/** @typedef {import("../../lib/types.js").RouteInfo} RouteInfo */
/** @typedef {import("../../lib/types.js").Route} Route */
/** @typedef {import("../../lib/types.js").Mapping} Mapping */
/**
 * @typedef {"active" | "standby" | "lost" | "disabled" | "unused"} State
 *
 * @typedef {object} Source an active one, or one that a route waits for
 * @property {string} name "livelink:FaceCapture"; "livelink:*" if a route waits for any
 * @property {Kind} kind
 * @property {string} subject
 * @property {boolean} isReporting
 * @property {boolean} isAlive
 * @property {boolean} isFailsafe
 * @property {number} rateHz
 * @property {Record<string, number | null>} values
 *
 * @typedef {object} Claim of a route on a field
 * @property {string} route
 * @property {string} source
 * @property {number | null} value
 * @property {boolean} isWinner
 * @property {string} reason
 * @property {number | null} ageMs
 */

export const ANY = "*";
export const ESTOP = "estop";
/** @type {Kind[]} */
export const KINDS = ["rc", "livelink", "websocket", "autonomous", "leader", "safety"];
/**
 * Default priorities, as in saint_services/lib/api/routing.py.
 * @type {Record<Kind, number>}
 */
const PRIORITIES = {
  safety: 1000,
  rc: 300,
  websocket: 200,
  leader: 150,
  livelink: 100,
  autonomous: 50,
};
const NEW_MAPPING = {
  mode: "axis",
  threshold: 0.5,
  inverted: false,
  deadzone: 0,
  curve: "linear",
  expo: 0,
  points: [],
  scale: 1,
  offset: 0,
  clamp: null,
  filter: "none",
  cutoff_hz: 3,
  beta: 5,
  derivative_hz: 1,
  rate_limit: null,
  only_while: [],
};
/** @type {{enabled: boolean, priority: null, weight: null, timeout_ms: null, combine: "sum"}} */
const NEW_ROUTE = {
  enabled: true,
  priority: null,
  weight: null,
  timeout_ms: null,
  combine: "sum",
};
const NEW_INPUT = { subject: ANY, type: "", protocol: "", command_types: [] };

/** @param {string} from @param {string} to @param {Partial<Mapping>} more @returns {Mapping} */
export const newMapping = (from, to, more = {}) =>
  /** @type {Mapping} */ ({ from, to, ...NEW_MAPPING, ...more });

/**
 * @param {string} id
 * @param {{source: Kind, subject?: string, type?: string}} input
 * @param {string} target
 * @param {Mapping[] | "passthrough"} mapping
 * @returns {Route}
 */
export const newRoute = (id, input, target, mapping) => ({
  id,
  ...NEW_ROUTE,
  input: { ...NEW_INPUT, ...input },
  output: { target },
  mapping,
});

/** Remove default values, so that all routes fit in one message. @param {Route} route */
export function compact(route) {
  const { id, input, output, mapping, ...rest } = route;
  return {
    id,
    ...withoutDefaults(rest, NEW_ROUTE),
    input: {
      source: input.source,
      ...withoutDefaults(input, { ...NEW_INPUT, source: input.source }),
    },
    output,
    mapping:
      mapping === "passthrough"
        ? mapping
        : mapping.map((each) => withoutDefaults(each, NEW_MAPPING)),
  };
}

/** @param {object} values @param {object} defaults */
function withoutDefaults(values, defaults) {
  const usual = new Map(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(values).filter(([key, value]) => !same(value, usual.get(key))),
  );
}

/** Compare by value. @param {unknown} a @param {unknown} b */
export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);

/** @param {Route} route */
export const priority = (route) => route.priority ?? PRIORITIES[route.input.source] ?? 0;

/**
 * Return every source of the topic "inputs".
 * @param {InputsState | undefined} inputs
 * @returns {Source[]}
 */
export function activeSources(inputs) {
  if (!inputs) return [];
  const found = inputs.rc?.values ? [source("rc", "", inputs.rc)] : [];
  for (const kind of /** @type {const} */ (["livelink", "websocket", "autonomous"])) {
    for (const each of inputs[kind]) found.push(source(kind, each.subject, each));
  }
  return found;
}

/**
 * @param {Kind} kind
 * @param {string} subject
 * @param {import("../../lib/types.js").RcState | import("../../lib/types.js").NamedSource} data
 * @returns {Source}
 */
const source = (kind, subject, data) => ({
  name: subject ? `${kind}:${subject}` : kind,
  kind,
  subject,
  isReporting: true,
  isAlive: Boolean(data.alive),
  isFailsafe: Boolean(data.failsafe),
  rateHz: data.rate_hz ?? 0,
  values: data.values ?? {},
});

/** Whether this route accepts that source. @param {Route} route @param {Source} from */
export function isFor(route, from) {
  const wanted = route.input;
  if (wanted.source !== from.kind) return false;
  if (from.kind !== "rc" && wanted.subject !== ANY && wanted.subject !== from.subject) return false;
  if (!from.isReporting || !wanted.type) return true;
  const names = Object.keys(from.values); // the names imply the type, as in the router
  const hasBones = names.some((name) => name.includes("."));
  const isFace = names.some((name) => !name.includes("."));
  return isFace === hasBones || (wanted.type === "face" ? isFace : hasBones);
}

/**
 * Return the active sources, and a placeholder for each that a route waits for.
 * @param {RouteInfo[]} routes
 * @param {Source[]} active
 * @returns {Source[]}
 */
export function allSources(routes, active) {
  const found = [...active];
  for (const { route } of routes) {
    if (found.some((each) => isFor(route, each))) continue;
    const { source: kind, subject } = route.input;
    const name = kind === "rc" ? "rc" : `${kind}:${subject}`;
    if (found.some((each) => each.name === name)) continue;
    found.push({
      name,
      kind,
      subject,
      isReporting: false,
      isAlive: false,
      isFailsafe: false,
      rateHz: 0,
      values: {},
    });
  }
  const rank = (/** @type {Source} */ each) => KINDS.indexOf(each.kind);
  return found.sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/**
 * Return the values of a source that routes use, and all its values.
 * @param {Source} from
 * @param {RouteInfo[]} routes
 */
export function properties(from, routes) {
  const used = new Set();
  for (const { route } of routes) {
    if (route.mapping === "passthrough" || !isFor(route, from)) continue;
    for (const mapping of route.mapping) used.add(mapping.from);
  }
  return {
    used: [...used].sort(byNumber),
    all: [...new Set([...used, ...Object.keys(from.values)])].sort(byNumber),
  };
}

/** Sort channel_2 before channel_10. @param {string} a @param {string} b */
export const byNumber = (a, b) => a.localeCompare(b, undefined, { numeric: true });

/** Return "target.field" of a mapping's output. @param {Route} route @param {Mapping} mapping */
export function outputOf(route, mapping) {
  if (mapping.to === ESTOP) return ESTOP;
  return route.output.target === ANY ? mapping.to : `${route.output.target}.${mapping.to}`;
}

/**
 * Return the claims on each field, by "head.pan".
 * @param {OutputsState | undefined} outputs
 * @returns {Map<string, Claim[]>}
 */
export function claims(outputs) {
  const found = new Map();
  for (const field of outputs?.fields ?? []) {
    const contenders = field.rivals.map((each) => ({
      route: each.route,
      source: each.source,
      value: each.value,
      isWinner: false,
      reason: each.reason,
      ageMs: each.age_ms,
    }));
    const winner = {
      ...field,
      route: field.winner,
      isWinner: true,
      reason: "",
      ageMs: field.age_ms,
    };
    found.set(
      `${field.target}.${field.field}`,
      field.winner ? [winner, ...contenders] : contenders,
    );
  }
  return found;
}

/**
 * Return the present state of a route.
 * @param {RouteInfo} info
 * @param {Claim[]} own its claims
 * @param {Source[]} sources those that it accepts
 * @returns {State}
 */
export function stateOf(info, own, sources) {
  if (info.fault) return "unused";
  if (!info.route.enabled) return "disabled";
  if (own.some((claim) => claim.isWinner)) return "active";
  if (!sources.some((each) => each.isAlive && !each.isFailsafe)) return "lost";
  return info.status === "active" && !own.length ? "active" : "standby";
}

export const STATES = {
  active: { word: "Active", chip: "good", hint: "Drives an output" },
  standby: { word: "Standby", chip: "idle", hint: "The source is active, but other routes drive" },
  lost: { word: "No signal", chip: "warn", hint: "The source has timed out" },
  disabled: { word: "Off", chip: "idle", hint: "Turned off" },
  unused: { word: "Not used", chip: "bad", hint: "Does not fit this robot" },
};

const ACCENTS = /[\u0300-\u036f]/g; // behind their letters, in NFD
const LONGEST_ID = 60;

/** Return the identifier that a name is made into: "Tête à gauche!" is "Tete_a_gauche". */
export function idOf(/** @type {string} */ name) {
  const plain = name.normalize("NFD").replace(ACCENTS, "").replace(/ß/g, "ss");
  const clean = plain.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^[_.-]+|[_.-]+$/g, "");
  return clean.slice(0, LONGEST_ID) || "route";
}

/**
 * Return a free identifier for a name: "rc_head", "rc_head_2".
 * @param {string} wanted
 * @param {RouteInfo[]} routes
 */
export function freeId(wanted, routes) {
  const clean = idOf(wanted);
  const taken = new Set(routes.map((info) => info.route.id));
  for (let number = 1; ; number++) {
    const name = number > 1 ? `${clean}_${number}` : clean;
    if (!taken.has(name)) return name;
  }
}
