// The cards of the outputs: what the router sends to each target, and which input decides it.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { quantity, sourceName, targetName, words } from "../../lib/format.js";
import { absence } from "../../lib/robot/nodes.js";
import { activeContenders, policyText } from "../../lib/robot/outputs.js";
import { bar } from "../../parts/bar.js";
import { reading, seen } from "../../parts/live.js";

/** @typedef {import("../../context.js").With<"now" | "robot" | "store">} App */
/** @typedef {import("../../lib/types.js").FieldState} OutputField */

const RANK = ["head", "tracks", "arms.left", "arms.right"];

/** @param {App} app */
export function outputs(app) {
  const data = app.store.data.outputs;
  const isStale = !app.store.isFresh("outputs", app.now);
  /** @type {Map<string, OutputField[]>} */
  const targets = new Map();
  for (const field of data?.fields ?? []) {
    targets.set(field.target, [...(targets.get(field.target) ?? []), field]);
  }
  const ordered = [...targets].sort(([a], [b]) => place(a) - place(b));
  return html`
    <section aria-labelledby="outputs-title" data-outputs ?data-stale=${isStale}>
      <div class="section-head">
        <h2 id="outputs-title">Outputs</h2>
        <span class="quiet">${summary(data, isStale)}</span>
      </div>
      ${!data ? html`<div class="card output skeleton"></div>` : nothing}
      ${data && !ordered.length ? empty : nothing}
      <div class="output-grid">
        ${halves(ordered).map(
          (half) => html`<div>
            ${repeat(
              half,
              ([target]) => target,
              ([target, fields]) => card(app, target, fields),
            )}
          </div>`,
        )}
      </div>
    </section>
  `;
}

/** Add each target to the shorter of two columns. @param {[string, OutputField[]][]} targets */
function halves(targets) {
  /** @type {[string, OutputField[]][][]} */
  const columns = [[], []];
  const heights = [0, 0];
  for (const target of targets) {
    const at = heights[0] <= heights[1] ? 0 : 1;
    columns[at].push(target);
    heights[at] += target[1].length + 1;
  }
  return columns;
}

/** @param {string} target */
function place(target) {
  const at = RANK.indexOf(target);
  return at < 0 ? RANK.length : at;
}

/** @param {import("../../lib/types.js").OutputsState | undefined} data @param {boolean} isStale */
function summary(data, isStale) {
  if (!data) return "";
  if (isStale) return "The router has timed out";
  /** @type {Record<string, string>} */
  const states = { idle: "Idle", routing: "Routing", blending: "Blending", estop: "Stopped" };
  return states[data.state] ?? words(data.state);
}

/** @param {App} app @param {string} target @param {OutputField[]} fields */
function card(app, target, fields) {
  const first = fields[0].policy;
  const away = absence(app, target);
  const isIdle = first !== "live" && fields.every((field) => field.policy === first);
  return html`
    <article class="card output ${isIdle ? "is-idle" : ""}" data-target=${target}>
      <header>
        <h3>${targetName(target)}</h3>
        ${
          away
            ? html`<a class="field-policy" data-absent href=${away.href}>${away.text}</a>`
            : isIdle
              ? html`<span class="field-policy is-${first}">${policyText(fields[0])}</span>`
              : html`<span class="field-policy only-phone">${sourcesOf(fields)}</span>`
        }
      </header>
      <ul>
        ${seen(() =>
          repeat(
            fields,
            (field) => field.field,
            (field) => row(field, app.robot?.targets?.[target]?.[field.field]),
          ),
        )}
      </ul>
    </article>
  `;
}

/** Name the sources that drive a target, for a phone, where no row has its reason. */
function sourcesOf(/** @type {OutputField[]} */ fields) {
  const driven = fields.filter((field) => field.policy === "live");
  return [...new Set(driven.map((field) => sourceName(field.source)))].join(", ");
}

/**
 * @param {OutputField} field
 * @param {import("../../lib/types.js").FieldDescription | undefined} spec
 */
function row(field, spec) {
  const [low, high] = spec?.limits ?? [-1, 1];
  const neutral = spec?.neutral ?? 0;
  return html`
    <li class="field is-${field.policy}" data-field=${field.field}>
      <span class="name">${words(field.field)}</span>
      <span class="track ${low < neutral ? "both" : ""}">
        <i ${bar(field.value, low, high, neutral)}></i>
      </span>
      <span class="number">${reading(quantity(field.value, field.unit))}</span>
      <span class="why">${why(field)}</span>
    </li>
  `;
}

/** @param {OutputField} field */
function why(field) {
  if (field.policy !== "live") {
    return html`<span class="policy" title=${policyText(field)}>${policyText(field)}</span>`;
  }
  return html`
    <span title=${`${sourceName(field.source)}, route ${field.winner}`}>
      ${field.clamped ? html`<b class="tag">limited</b>` : nothing}
      <b class="winner">${sourceName(field.source)}</b> by ${field.winner}
    </span>
    ${activeContenders(field.rivals).map(
      (each) => html`<span class="contender" title=${`route ${each.route}`}>
        over ${sourceName(each.source)} (${each.reason})
      </span>`,
    )}
  `;
}

const empty = html`
  <div class="card empty">
    <h3>No active outputs</h3>
    <p>When an input with a route sends data, its outputs appear here with the reason for each
    value.</p>
  </div>
`;
