// The table of all routes by route priority: source, target, state, switch and actions of each.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";
import { targetName } from "../../lib/format.js";
import { askConfirmation } from "../../parts/confirm.js";
import { sourceTitle } from "./diagram/inputs.js";
import { plural } from "./differences.js";
import { ANY, claims, isFor, priority, STATES, stateOf } from "./model.js";
import { isOff, routes } from "./state.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "router" |
 *   "store" | "toasts">} App
 */
/** @typedef {import("./model.js").RouteInfo} RouteInfo */
/** @typedef {import("./model.js").Source} Source */

/** @param {App} app @param {RouteInfo[]} shown @param {Source[]} sources */
export function table(app, shown, sources) {
  const allClaims = [...claims(app.store.data.outputs).values()].flat();
  const byPriority = [...shown].sort(
    (a, b) => priority(b.route) - priority(a.route) || a.route.id.localeCompare(b.route.id),
  );
  return html`
    <section
      class="routes-table"
      aria-labelledby="table-title"
      ?data-stale=${!app.store.isFresh("outputs", app.now)}
    >
      <div class="section-head">
        <h2 id="table-title">All routes</h2>
        <span class="quiet">The highest priority wins</span>
      </div>
      <div class="card table-wrap">
        <table class="table stacks" data-routes>
          <thead>
            <tr>
              <th scope="col">Route</th><th scope="col">Source</th><th scope="col">Target</th>
              <th scope="col" class="right">Priority</th><th scope="col">State</th>
              <th scope="col" class="right">Age</th><th scope="col">On</th><th scope="col">
              <span class="hidden">Actions</span></th>
            </tr>
          </thead>
          <tbody>
            ${repeat(
              byPriority,
              (info) => info.route.id,
              (info) => row(app, info, allClaims, sources),
            )}
          </tbody>
        </table>
      </div>
    </section>
  `;
}

/**
 * @param {App} app
 * @param {RouteInfo} info
 * @param {import("./model.js").Claim[]} allClaims
 * @param {Source[]} sources
 */
function row(app, info, allClaims, sources) {
  const { route } = info;
  const own = allClaims.filter((claim) => claim.route === route.id);
  const { word, chip, hint } =
    STATES[
      stateOf(
        info,
        own,
        sources.filter((each) => isFor(route, each)),
      )
    ];
  const ages = own.flatMap(({ ageMs }) => (ageMs === null ? [] : [ageMs]));
  const newest = ages.length ? Math.min(...ages) : null;
  const count =
    route.mapping === "passthrough" ? "passthrough" : plural(route.mapping.length, "mapping");
  return html`
    <tr data-row=${route.id}>
      <td>
        <a class="routes-name" href="/routes/${encodeURIComponent(route.id)}">${route.id}</a>
      </td>
      <td data-label="Source">${sourceTitle(waiting(route))}</td>
      <td data-label="Target">
        <span>${route.output.target === ANY ? "Any" : targetName(route.output.target)}
        <small class="quiet">${count}</small></span>
      </td>
      <td data-label="Priority" class="right">${priority(route)}</td>
      <td data-label="State" class="routes-state">
        <span class="chip ${chip}" data-state=${word} title=${info.fault || hint}
          ><i class="dot"></i>${word}</span>
      </td>
      <td data-label="Age" class="right routes-age">${age(newest)}</td>
      <td data-label="On">${toggle(app, info)}</td>
      <td class="routes-more">
        <a class="button plain small" href="/routes/${encodeURIComponent(route.id)}"
          >Edit<span class="hidden"> ${route.id}</span></a>
        <button
          class="button plain small"
          type="button"
          data-delete
          ?disabled=${isOff(app)}
          @click=${() => askDelete(app, info)}
        >
          Delete<span class="hidden"> ${route.id}</span>
        </button>
      </td>
    </tr>
    ${
      info.fault
        ? html`
          <tr>
            <td colspan="8" class="refusal">${info.fault}. The route is not used: change or
            delete it.</td>
          </tr>
        `
        : nothing
    }
  `;
}

/** Return the source that a route waits for. @param {import("./model.js").Route} route */
function waiting({ input }) {
  const { source: kind, subject } = input;
  return {
    kind,
    subject: kind === "rc" ? "" : subject,
    name: kind === "rc" ? kind : `${kind}:${subject}`,
  };
}

/**
 * Format an age in steps, because a number that changes 20 times a second is unreadable.
 * @param {number | null} ms
 */
function age(ms) {
  if (ms === null || ms > 3_600_000) return "–";
  if (ms < 100) return "now";
  if (ms < 1000) return `0.${Math.floor(ms / 100)} s`;
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : `${Math.floor(ms / 60_000)} min`;
}

/** @param {App} app @param {RouteInfo} info */
function toggle(app, { route, fault }) {
  const change = withField(async (field) => {
    const wanted = field.checked;
    field.checked = route.enabled; // shows the robot's state until the change is applied
    await routes.enable(app, route.id, wanted).catch((err) => app.toasts.failed(err));
  });
  return html`
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        aria-label="Route ${route.id}"
        .checked=${route.enabled}
        ?disabled=${Boolean(fault) || isOff(app)}
        @change=${change}
      >
    </label>
  `;
}

/** @param {App} app @param {RouteInfo} info */
export function askDelete(app, { route }) {
  askConfirmation(app, {
    title: `Delete the route ${route.id}?`,
    text:
      "Its outputs go to the contender with the next priority, or to rest. Undo restores the " +
      "route.",
    verb: "Delete the route",
    isDanger: true,
    said: `Route ${route.id} deleted.`,
    work: async () => {
      await routes.remove(app, route.id);
      if (app.router.rest === route.id) app.router.go("/routes");
    },
  });
}
