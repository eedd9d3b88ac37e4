// The page "Calibrate" of a node: its joints, the buttons to jog the chosen joint, and its
// calibration. Opening the page moves nothing.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { quantity, targetName, words } from "../../../lib/format.js";
import { nodeTitle, rolesOf } from "../../../lib/robot/nodes.js";
import { jogCard } from "../../../parts/jog-card.js";
import { unknown } from "../details.js";
import { trimCard } from "./trim-card.js";

/** @typedef {import("../../../context.js").With<"api" | "now" | "store">} App */
/** @typedef {import("../../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./state.js").Calibration} Calibration */
/** @typedef {ReturnType<Calibration["rows"]>[number]} Row */

/** @param {App} app @param {Calibration} calibration */
export function calibratePage(app, calibration) {
  const node = calibration.node();
  if (!node)
    return app.store.data.nodes
      ? unknown(calibration.id)
      : html`<p class="quiet" role="status">Loading…</p>`;
  const rows = calibration.rows();
  const row = rows.find(({ key }) => key === calibration.chosen) ?? rows[0];
  return html`
    <p class="way-back"><a href="/nodes/${node.node_id}">${nodeTitle(node)}</a></p>
    <div class="page-head">
      <div>
        <h1>Calibrate</h1>
        <p class="quiet">${nodeTitle(node)} · <code>${node.node_id}</code></p>
      </div>
    </div>
    ${
      calibration.problem
        ? html`
          <div class="notice" role="alert">
            <strong>Reading the calibration failed.</strong> ${calibration.problem} Next attempt
            within 2 s.
          </div>
        `
        : nothing
    }
    ${row ? body(app, calibration, rows, row) : nothingToDo(calibration, node)}
  `;
}

/** @param {App} app @param {Calibration} calibration @param {Row[]} rows @param {Row} row */
const body = (app, calibration, rows, row) => html`
  <p class="notice is-quiet">
    <strong>What moves:</strong> only the joint whose button you hold, slowly and within its active
    limits. Saving needs confirmation, restarts the role and moves its joints to neutral.
  </p>
  <div class="calibrate-page" data-calibrate=${row.key}>
    ${list(calibration, rows, row)}
    <div class="calibrate-joint">
      ${jog(app, calibration, row)} ${trimCard(app, calibration, row)}
    </div>
  </div>
`;

/** @param {App} app @param {Calibration} calibration @param {Row} row */
function jog(app, calibration, { target, field: given }) {
  const { field, unit, limits, manifest_limits: range } = given;
  const spec = calibration.spec(target, field);
  return jogCard(app, /** @type {import("../../../lib/control/jog.js").Jog} */ (calibration.jog), {
    title: words(field),
    target,
    field,
    unit,
    isPosition: spec?.kind === "position",
    limits,
    range,
    neutral: spec?.neutral ?? 0,
    isHeld: spec?.on_loss === "hold",
    at: calibration.position({ target, field }),
    refusal: calibration.refusal({ target, field }),
  });
}

/** @param {Calibration} calibration @param {NodeInfo} node */
function nothingToDo(calibration, node) {
  if (!rolesOf(node).length) {
    return html`<div class="card empty">
      <h2>This node has no role</h2>
      <p>
        Calibration belongs to a role. <a href="/nodes/${node.node_id}/adopt">Adopt the node</a>
        first.
      </p>
    </div>`;
  }
  if (calibration.problem) return nothing;
  const isKnown = calibration.replies.size > 0;
  if (!isKnown)
    return html`
      <div class="card skeleton calibrate-wait" role="status">
        <span class="hidden">Loading…</span>
      </div>
    `;
  return html`<div class="card empty">
    <h2>Nothing to calibrate</h2>
    <p>The node's role has no joints and no speeds.</p>
  </div>`;
}

/** @param {Calibration} calibration @param {Row[]} rows @param {Row} chosen */
function list(calibration, rows, chosen) {
  const targets = [...new Set(rows.map(({ target }) => target))];
  return html`
    <nav class="card calibrate-list" aria-label="Joints">
      ${targets.map(
        (target) => html`
          <h2>${targetName(target)}</h2>
          <ul>
            ${rows
              .filter((row) => row.target === target)
              .map((row) => entry(calibration, row, row === chosen))}
          </ul>
        `,
      )}
    </nav>
  `;
}

/** @param {Calibration} calibration @param {Row} row @param {boolean} isChosen */
function entry(calibration, { key, target, field }, isChosen) {
  const is = calibration.position({ target, field: field.field });
  const differs =
    field.offset || field.is_reversed || String(field.limits) !== String(field.manifest_limits);
  const mark = calibration.drafts.has(key) ? "unsaved" : differs ? "calibrated" : "";
  return html`
    <li>
      <a
        href="/nodes/${calibration.id}/calibrate/${key}"
        data-joint=${key}
        aria-current=${isChosen ? "true" : nothing}
      >
        <span>${words(field.field)}</span>
        <span class="number">${is === null ? "" : quantity(is, field.unit)}</span>
        <small class="quiet">${mark}</small>
      </a>
    </li>
  `;
}
