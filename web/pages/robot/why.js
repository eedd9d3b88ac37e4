// The panel that explains a field's value: the winning input, the contenders and why they lost, and
// the joint limits.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { age, quantity, sourceName, targetName, words } from "../../lib/format.js";
import { commanded, measured } from "../../lib/robot/joints.js";
import { activeContenders, policyText } from "../../lib/robot/outputs.js";

/** @typedef {import("../../context.js").With<"store">} App */
/** @typedef {import("../../lib/types.js").FieldDescription} FieldDescription */
/** @typedef {import("../../lib/types.js").FieldState} FieldState */
/** @typedef {import("../../lib/robot/joints.js").JointField} Part */

/** @type {Record<string, string>} */
const LOSSES = {
  hold: "holds its position",
  neutral: "returns to neutral",
  park: "parks",
  ramp_to_zero: "ramps to zero",
};

/** @param {App} app @param {Part} part @param {boolean} isOld */
export function why(app, part, isOld) {
  const { data } = app.store;
  const row = commanded(part, data);
  const is = measured(part, data);
  const unit = part.spec?.unit ?? "";
  return html`
    <section class="card why-panel" aria-labelledby="why-title" data-why=${part.key}>
      <header>
        <h2 id="why-title">${targetName(part.target)}: ${words(part.field).toLowerCase()}</h2>
        ${state(row)}
      </header>
      ${
        part.spec
          ? html`
            <dl class="why-values" ?data-stale=${isOld && is !== null}>
              <div><dt>Measured</dt><dd>${quantity(is, unit)}</dd></div>
              <div><dt>Commanded</dt><dd>${quantity(row?.value ?? null, unit)}</dd></div>
              <div><dt>Difference</dt><dd>${difference(is, row?.value ?? null, unit)}</dd></div>
            </dl>
            ${row ? reasons(row) : html`<p>The router has sent no command.</p>`}
            ${limits(part.spec)}
          `
          : motor(app, part)
      }
    </section>
  `;
}

/** @param {FieldState | null} row */
function state(row) {
  if (!row) return html`<span class="chip idle"><i class="dot"></i>Never commanded</span>`;
  const kind = row.policy === "live" ? "good" : row.policy === "estop" ? "bad" : "idle";
  const text =
    row.policy === "live"
      ? "Commanded"
      : row.policy === "estop"
        ? "Stopped"
        : row.policy === "none"
          ? "Not commanded"
          : "No input";
  return html`<span class="chip ${kind}"><i class="dot"></i>${text}</span>`;
}

/** @param {FieldState} row */
const reasons = (row) => html`
  <dl class="facts-list">
    <dt>Reason</dt>
    <dd>${policyText(row)}</dd>
    ${
      row.policy === "live"
        ? html`<dt>Winner</dt>
          <dd data-winner>
            ${sourceName(row.source)}, by route
            <a href="/routes/${encodeURIComponent(row.winner)}">${row.winner}</a>
          </dd>
          <dt>Sample age</dt>
          <dd>${row.age_ms === null ? "Unknown" : age(row.age_ms)}</dd>`
        : nothing
    }
    <dt>Since</dt>
    <dd>${since(row.changed_ms)}</dd>
    <dt>Limited</dt>
    <dd>${row.clamped ? "Yes: the input exceeds the limits" : "No"}</dd>
    <dt>Contenders</dt>
    <dd>
      ${contenders(row)}
    </dd>
  </dl>
`;

/** @param {FieldState} row */
function contenders(row) {
  const found = activeContenders(row.rivals);
  if (!found.length) return "None";
  return html`
    <ul class="contenders">
      ${found.map(
        (each) => html`<li>
          ${sourceName(each.source)}: ${quantity(each.value, row.unit)}
          <span class="quiet">(${each.reason};
          ${each.age_ms === null ? "age unknown" : `${age(each.age_ms)} old`}; route
          ${each.route})</span>
        </li>`,
      )}
    </ul>
  `;
}

/** @param {FieldDescription} spec */
const limits = (spec) => html`
  <dl class="facts-list">
    <dt>Limits</dt>
    <dd>${quantity(spec.limits[0], spec.unit)} to ${quantity(spec.limits[1], spec.unit)}</dd>
    ${
      spec.max_rate
        ? html`<dt>Rate limit</dt><dd>${quantity(spec.max_rate, spec.unit)}/s</dd>`
        : nothing
    }
    <dt>On loss</dt>
    <dd>${LOSSES[spec.on_loss] ?? words(spec.on_loss)}</dd>
  </dl>
`;

/**
 * Describe a motor, which has no field of its own and follows the drive.
 * @param {App} app
 * @param {Part} part
 */
function motor(app, part) {
  const { tracks, outputs } = app.store.data;
  const speed = part.field.startsWith("left") ? tracks?.left_velocity : tracks?.right_velocity;
  const rows = (outputs?.fields ?? []).filter((row) => row.target === part.target);
  return html`
    <p>
      Driven by
      ${rows.map((row) => words(row.field).toLowerCase()).join(" and ") || "the drive"}.
    </p>
    <dl class="why-values">
      <div><dt>Measured</dt><dd>${quantity(speed ?? null, "m/s")}</dd></div>
    </dl>
    ${rows.map(
      (row) => html`<h3>${words(row.field)}: ${quantity(row.value, row.unit)}</h3> ${reasons(row)}`,
    )}
  `;
}

/** @param {number | null} is @param {number | null} command @param {string} unit */
const difference = (is, command, unit) =>
  is === null || command === null ? "–" : quantity(command - is, unit);

/** @param {number} ms */
function since(ms) {
  if (ms === 0) return "the router started";
  if (ms < 1000) return "less than a second";
  const seconds = Math.round(ms / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
