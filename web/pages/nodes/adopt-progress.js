// The progress and outcome of one adoption: its steps, the code to compare, the next free node.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../lib/api.js";
import { roleName } from "../../lib/format.js";
import { inOrder, isFree, nodeTitle, rolesOf } from "../../lib/robot/nodes.js";
import { attend } from "../../parts/attend.js";
import { askFactoryReset } from "./dialogs.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./watch.js").NodeWatch} NodeWatch */

const STEPS = [
  "Server and node exchange keys",
  "The node receives its role's settings and opens its devices",
  "The role is active",
];

/** The chosen role and the progress of its adoption. */
export class Adoption {
  id = "";
  /** @type {{role: string, instance: string} | null} */ choice = null;
  name = "";
  /** @type {"choosing" | "working" | "failed" | "done"} */ phase = "choosing";
  /** Number of completed steps. */ step = 0;
  refusal = "";
  fix = "";
  code = "";

  /** @param {string} id */
  begin(id) {
    if (id === this.id && this.phase === "working") return;
    Object.assign(this, {
      id,
      choice: null,
      name: "",
      phase: "choosing",
      step: 0,
      refusal: "",
      fix: "",
      code: "",
    });
  }
}

/** @param {Adoption} adoption */
export const chosenRole = ({ choice }) =>
  choice ? roleName(choice.role, choice.instance).toLowerCase() : "";

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
export function progress(app, watch, adoption, node) {
  if (adoption.phase === "working") adoption.step = Math.max(adoption.step, seenStep(node));
  const again = () => ((adoption.phase = "choosing"), app.draw());
  return html`
    <section class="card adoption" aria-labelledby="adoption-title" data-phase=${adoption.phase}>
      <h2 id="adoption-title" tabindex="-1" ${attend()}>${title(adoption, node)}</h2>
      <div role="status">
        <ol class="adopt-steps">
          ${STEPS.map((text, index) => step(adoption, text, index))}
        </ol>
      </div>
      ${
        adoption.phase === "failed"
          ? html`
            <p class="refusal" role="alert"><strong>Failed:</strong> ${adoption.refusal}
            </p>
            <p class="quiet">${adoption.fix}</p>
            <div class="actions">
              <button class="button" type="button" @click=${again}>Choose another role</button>
              <button
                class="button primary"
                type="button"
                data-retry
                @click=${() => adopt(app, watch, adoption)}
              >
                Try again
              </button>
            </div>
          `
          : nothing
      }
      ${adoption.phase === "done" ? done(app, adoption, node) : nothing}
    </section>
  `;
}

/** Return the step that the node reports. @param {NodeInfo} node */
function seenStep(node) {
  return node.is_ours ? 1 : 0;
}

/** @param {Adoption} adoption @param {NodeInfo} node */
function title(adoption, node) {
  if (adoption.phase === "done") return `${nodeTitle(node)} is active`;
  return adoption.phase === "failed"
    ? `Adoption as ${chosenRole(adoption)} failed`
    : `Adopting as ${chosenRole(adoption)}`;
}

/** @param {Adoption} adoption @param {string} text @param {number} index */
function step(adoption, text, index) {
  const isNow = index === adoption.step;
  const state =
    index < adoption.step
      ? "done"
      : !isNow
        ? "open"
        : adoption.phase === "failed"
          ? "failed"
          : "now";
  /** @type {Record<string, string>} */
  const words = { done: "done", now: "in progress", failed: "failed", open: "pending" };
  return html`
    <li class="is-${state}">
      <span>${text}</span> <small>${words[state]}</small>
    </li>
  `;
}

/** @param {App} app @param {Adoption} adoption @param {NodeInfo} node */
const done = (app, adoption, node) => html`
  ${
    adoption.code
      ? html`
        <div class="code-card">
          <p>
            Compare this code with the six digits in the node's log
            (<code>journalctl -u saint-noded</code>):
          </p>
          <p class="code" data-code>${adoption.code}</p>
          <p class="quiet">If they differ, a third party may be intercepting the connection.</p>
        </div>
      `
      : html`<p class="quiet">The node's release has no keys, so there is no code to compare.</p>`
  }
  <div class="actions">
    ${
      adoption.code
        ? html`
          <button class="button" type="button" @click=${() => askFactoryReset(app, node)}>
            Codes differ…
          </button>
        `
        : nothing
    }
    <a class="button primary" data-done href="/nodes/${node.node_id}">${
      adoption.code ? "Codes match" : "Open the node"
    }</a>
  </div>
  ${nextOne(app, node)}
`;

/**
 * Link to the next free node.
 * @param {App} app
 * @param {NodeInfo} last node just adopted, which may still be listed as free
 */
function nextOne(app, last) {
  const { nodes = [], roles = [] } = app.store.data.nodes ?? {};
  const free = inOrder(nodes).filter(
    (each) => isFree(each) && !each.is_ignored && each.node_id !== last.node_id,
  );
  if (!free.length || roles.every((role) => role.node_id)) return nothing;
  const others = free.length === 1 ? "1 node waits" : `${free.length} nodes wait`;
  return html`<p class="quiet">
    ${others} for a role. <a data-next href="/nodes/${free[0].node_id}/adopt">Adopt
    ${free[0].display_name || free[0].node_id}…</a>
  </p>`;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption */
export async function adopt(app, watch, adoption) {
  const { id, choice } = adoption;
  if (!choice) return;
  Object.assign(adoption, { phase: "working", step: 0, refusal: "", fix: "" });
  app.draw();
  const display_name = adoption.name.trim();
  const add = rolesOf(watch.node(app)).length > 0;
  const params = { node_id: id, ...choice, add, ...(display_name ? { display_name } : {}) };
  try {
    const reply = await app.api.request("management", "adopt_node", params);
    Object.assign(adoption, { phase: "done", step: STEPS.length, code: reply.code });
  } catch (err) {
    const { message, fix } = problemOf(err);
    Object.assign(adoption, { phase: "failed", refusal: message, fix });
  }
  watch.refresh(app);
}
