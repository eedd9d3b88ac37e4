// The list of all parts, by node and role, with a filter.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { nodeTitle } from "../../lib/robot/nodes.js";
import { addressOf, keyOf, kindOf, rangeOf } from "../../lib/robot/parts.js";
import { errorLine } from "../../parts/dialog.js";
import { change, isUnsaved, save, unsaved, unsavedLine, verb } from "./drafts.js";
import { framed } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

let filter = "";

/** @param {App} app */
export function listView(app) {
  const parts = state.parts ?? [];
  const shown = parts.filter((part) => matches(part));
  const nodes = [...new Set(shown.map((part) => part.node_id))].sort(
    (a, b) => Number(!a) - Number(!b),
  );
  const actions = html`
    <input
      type="search"
      aria-label="Filter the parts"
      placeholder="Name, kind, pin, channel…"
      .value=${filter}
      @input=${withValue((value) => ((filter = value), app.draw()))}
    >
    <a class="button" data-face-wizard href="/routes/wizard/face">Map a face…</a>
    ${
      isAdmin(app)
        ? html`<a class="button primary" data-add href="/parts/add">Add a part</a>`
        : nothing
    }
  `;
  return framed("/parts", actions, content(app, parts, shown, nodes));
}

/**
 * @param {App} app @param {RobotPart[]} parts @param {RobotPart[]} shown @param {string[]} nodes
 */
function content(app, parts, shown, nodes) {
  if (!state.parts)
    return state.problem ? nothing : html`<p class="quiet" role="status">Loading…</p>`;
  if (!parts.length)
    return html`<div class="card empty">
      <h2>The robot has no parts</h2>
      <p>Add the first one, or <a href="/parts/templates">start from a template</a>.</p>
    </div>`;
  return html`
    <p class="quiet parts-summary">
      ${state.document?.name}: ${parts.length} parts${
        state.document?.is_own
          ? `, version ${state.version}`
          : `, the shipped template ${state.document?.template}`
      }${shown.length < parts.length ? `; ${shown.length} shown` : ""}
    </p>
    ${unsaved().length ? notSaved(app) : nothing}
    ${shown.length ? nothing : html`<p class="card quiet">No part matches “${filter}”.</p>`}
    <div class="parts-nodes">${nodes.map((node) => ofNode(app, node, shown))}</div>
  `;
}

/** @param {App} app */
const notSaved = (app) => html`
  <div class="notice is-quiet parts-unsaved-notice">
    ${unsavedLine(app, "")}
    <button class="button primary" type="button" data-save ?disabled=${state.isBusy}
      @click=${() => save(app)}>${state.isBusy ? "Saving…" : verb()}</button>
    ${change.refusal ? errorLine(change.refusal, "Refused") : nothing}
  </div>
`;

/** @param {RobotPart} part */
function matches(part) {
  const pins = part.pins.map((use) => `GPIO${use.bcm}`).join(" ");
  const kind = state.catalog ? (kindOf(state.catalog, part)?.title ?? "") : "";
  const text = `${keyOf(part)} ${words(part.name)} ${kind} ${part.place} ${pins} ${part.node_id}`;
  const typed = filter.toLowerCase().split(/\s+/).filter(Boolean);
  return typed.every((word) => text.toLowerCase().includes(word));
}

/** @param {App} app @param {string} id @param {RobotPart[]} shown */
function ofNode(app, id, shown) {
  const parts = shown.filter((part) => part.node_id === id);
  const node = app.store.data.nodes?.nodes.find((each) => each.node_id === id);
  const targets = [...new Set(parts.map((part) => part.target))];
  return html`
    <section class="card parts-node" data-parts-of=${id || "none"}>
      <header>
        <h2>${id ? (node ? nodeTitle(node) : id) : "No node holds these roles"}</h2>
        ${id ? html`<a href="/nodes/${id}">Header and pins</a>` : nothing}
      </header>
      ${targets.map(
        (target) => html`
          ${
            targets.length > 1 || !id
              ? html`<h3 class="parts-role">${targetName(target)}</h3>`
              : nothing
          }
          <ul class="parts-rows">
            ${parts.filter((part) => part.target === target).map(row)}
          </ul>
        `,
      )}
    </section>
  `;
}

/** @param {RobotPart} part */
function row(part) {
  const kind = state.catalog ? kindOf(state.catalog, part)?.title : part.kind;
  return html`
    <li>
      <a class="part-row" href=${addressOf(part)} data-part=${keyOf(part)}>
        <b>${words(part.name)}</b>
        <span class="part-kind">${kind ?? (part.kind || "Output of the role")}</span>
        <span class="part-place">${part.place.replace(/ \(.*\)$/, "")}</span>
        <span class="part-range number">
          ${isUnsaved(part) ? html`<span class="chip warn">Not saved</span>` : rangeOf(part)}
        </span>
      </a>
    </li>
  `;
}
