// The adoption page: choice of role and name, the role's fit, and the node's header and devices.
// Not here: the progress of an adoption (adopt-progress.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { roleName } from "../../lib/format.js";
import { isAdmin, mayOperate } from "../../lib/levels.js";
import { foundText, nodeState, nodeTitle, rolesOf, targetOf } from "../../lib/robot/nodes.js";
import { DUTIES } from "../../lib/robot/roles.js";
import { fold } from "../../parts/fold.js";
import { adopt, chosenRole, progress } from "./adopt-progress.js";
import { noPins, peripherals, pinsText, unknown } from "./details.js";
import { setIgnored } from "./dialogs.js";
import { askMove } from "./move-role.js";
import { header, usesOf } from "./pins.js";
import { findings, fitChip, isReady } from "./role-fit.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./adopt-progress.js").Adoption} Adoption */
/** @typedef {import("./watch.js").NodeWatch} NodeWatch */
/** @typedef {import("../../lib/types.js").RoleFit} RoleFit */
/** @typedef {import("../../lib/types.js").RoleChoice} Choice */

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption */
export function adoptPage(app, watch, adoption) {
  const node = watch.node(app);
  if (!node)
    return app.store.data.nodes
      ? unknown(watch.id)
      : html`<p class="quiet" role="status">Loading…</p>`;
  const [kind, label] = nodeState(node);
  const isMore = rolesOf(node).length > 0 && adoption.phase === "choosing";
  const title = isMore
    ? `Add a role to ${nodeTitle(node)}`
    : `Adopt ${node.display_name || "a new node"}`;
  return html`
    <p class="way-back"><a href="/nodes">All nodes</a></p>
    <div class="page-head">
      <div>
        <h1>${title} <span class="chip ${kind}"><i class="dot"></i>${label}</span></h1>
        <p class="quiet">
          <code>${node.node_id}</code> · ${foundText(node)}
        </p>
      </div>
    </div>
    <div
      class="node-page is-even"
      data-node=${node.node_id}
      ?data-stale=${!app.store.isFresh("nodes", app.now)}
    >
      <div>
        ${
          adoption.phase === "choosing"
            ? question(app, watch, adoption, node)
            : progress(app, watch, adoption, node)
        }
      </div>
      <div>${planned(app, watch, adoption, node)} ${peripherals(app, watch, node)}</div>
    </div>
  `;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
function planned(app, watch, adoption, node) {
  const uses = adoption.choice ? usesOf(app, [targetOf(adoption.choice)]) : new Map();
  const pins = watch.status?.pins;
  const facts = adoption.choice
    ? `With the needs of the role ${chosenRole(adoption)}`
    : pinsText(pins);
  return html`
    <section class="card" aria-labelledby="pins-title">
      ${fold(app, "pins-title", "Header", facts, () => [
        watch.problem
          ? html`<p class="refusal">Reading the pins failed: ${watch.problem}</p>`
          : nothing,
        pins
          ? header(app, watch, pins, uses, adoption.phase !== "done")
          : html`<p class="quiet">${noPins(node, watch)}</p>`,
      ])}
    </section>
  `;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
function question(app, watch, adoption, node) {
  const isMore = rolesOf(node).length > 0;
  const why = node.not_offered || (isMore && node.state === "offline" ? "the node is offline" : "");
  const fit = fitOf(watch, adoption.choice);
  const { choice } = adoption;
  return html`
    <form class="card form" @submit=${onSubmit(() => adopt(app, watch, adoption))}>
      ${
        why
          ? html`
            <p class="notice" role="alert"><strong>Adoption is not possible now:</strong> ${why}</p>
          `
          : nothing
      }
      <fieldset class="options" ?disabled=${Boolean(why)}>
        <legend>${isMore ? "Choose another role" : "Choose a role"}</legend>
        ${(app.store.data.nodes?.roles ?? []).map((role) => option(app, watch, adoption, role))}
      </fieldset>
      ${isAnyOpen(app, watch) ? nothing : allAssigned(app, node)}
      ${choice ? findings(fit) : nothing}
      ${isMore ? nothing : nameField(adoption)}
      ${
        mayOperate(app)
          ? nothing
          : html`<p class="refusal">View-only account. Adopting a node needs the operator role.</p>`
      }
      <div class="actions">
        <a class="button" href="/nodes/${node.node_id}">Cancel</a>
        <button
          class="button primary"
          type="submit"
          data-confirm
          ?disabled=${!choice || Boolean(why) || !mayOperate(app)}
        >
          ${
            choice
              ? `${fit && !isReady(fit) ? "Adopt anyway" : "Adopt"} as ${chosenRole(adoption)}`
              : "Choose a role"
          }
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {NodeWatch} watch */
const isAnyOpen = (app, watch) =>
  (app.store.data.nodes?.roles ?? []).some((role) => !isTaken(app, watch, role));

/** What helps where no role is free. @param {App} app @param {NodeInfo} node */
const allAssigned = (app, node) => html`
  <div class="notice is-quiet" data-all-taken>
    <p>
      <strong>All roles of this robot are assigned.</strong> Move one here, keep this node as a
      spare, or add a role in the <a href="/parts/file">robot's file</a>.
    </p>
    ${
      rolesOf(node).length
        ? nothing
        : html`<button
          class="button small"
          type="button"
          data-do="ignore"
          ?disabled=${!mayOperate(app)}
          @click=${() => setIgnored(app, node, !node.is_ignored)}
        >
          ${node.is_ignored ? "Stop ignoring" : "Ignore this node"}
        </button>`
    }
  </div>
`;

/** @param {Adoption} adoption */
const nameField = (adoption) => html`
  <label class="entry">
    <span>Name</span>
    <input
      name="name"
      maxlength="64"
      autocomplete="off"
      placeholder=${
        adoption.choice ? roleName(adoption.choice.role, adoption.choice.instance) : "Optional"
      }
      .value=${adoption.name}
      @input=${withValue((value) => (adoption.name = value))}
    >
    <span class="hint">Shown on all pages.</span>
  </label>
`;

/** @param {NodeWatch} watch @param {{role: string, instance: string} | null} choice */
function fitOf(watch, choice) {
  const isChosen = (/** @type {RoleFit} */ each) =>
    each.role === choice?.role && each.instance === choice?.instance;
  return watch.fit?.find(isChosen) ?? null;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {Choice} role */
function option(app, watch, adoption, role) {
  const holder = holderOf(app, role);
  const isClosed = isTaken(app, watch, role);
  const value = `${role.role}/${role.instance}`;
  const { choice } = adoption;
  const choose = () => {
    adoption.choice = { role: role.role, instance: role.instance };
    app.draw();
  };
  return html`
    <label class="option">
      <input
        type="radio"
        name="role"
        value=${value}
        .checked=${choice?.role === role.role && choice?.instance === role.instance}
        ?disabled=${isClosed}
        @change=${choose}
      >
      <span>
        <b>${roleName(role.role, role.instance)}</b>
        <small>
          ${isOwn(app, watch, role) ? "This node has the role" : duty(role, holder, isClosed)}
        </small>
      </span>
      ${
        isClosed
          ? moveButton(app, watch, adoption, role)
          : fitChip(fitOf(watch, role), watch.problem)
      }
    </label>
  `;
}

/**
 * Offer to move a role from the node that holds it.
 * @param {App} app
 * @param {NodeWatch} watch
 * @param {Adoption} adoption
 * @param {Choice} role
 */
function moveButton(app, watch, adoption, role) {
  const holder = holderOf(app, role);
  if (isOwn(app, watch, role) || !holder || !isAdmin(app)) return nothing;
  return html`<button
    class="button small"
    type="button"
    data-move=${targetOf(role)}
    @click=${() => askMove(app, watch, adoption, holder, role)}
  >
    Move here…
  </button>`;
}

/** @param {App} app @param {Choice} role @returns {NodeInfo | undefined} */
const holderOf = (app, role) =>
  (app.store.data.nodes?.nodes ?? []).find((node) => node.node_id === role.node_id);

/** @param {App} app @param {NodeWatch} watch @param {Choice} role */
const isOwn = (app, watch, role) =>
  rolesOf(/** @type {NodeInfo} */ (watch.node(app))).some(
    (held) => targetOf(held) === targetOf(role),
  );

/** @param {App} app @param {NodeWatch} watch @param {Choice} role */
function isTaken(app, watch, role) {
  const holder = holderOf(app, role);
  return isOwn(app, watch, role) || Boolean(holder && holder.state !== "offline");
}

/** @param {Choice} role @param {NodeInfo | undefined} holder @param {boolean} isClosed */
function duty(role, holder, isClosed) {
  if (!holder) return DUTIES[role.role] ?? "";
  const who = holder.display_name ? `${holder.display_name} (${role.node_id})` : role.node_id;
  return isClosed
    ? `Assigned to ${who}`
    : `Assigned to ${who}, which is offline; “Replace” there also keeps the name`;
}
