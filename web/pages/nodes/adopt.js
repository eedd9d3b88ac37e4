// Adopting a node: what it has, which role fits on it, and how far the adoption is.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../lib/api.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { roleName } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { inOrder, isFree, nodeState, nodeTitle, rolesOf, targetOf } from "../../lib/robot/nodes.js";
import { attend } from "../../parts/attend.js";
import { noPins, peripherals, unknown } from "./details.js";
import { askFactoryReset } from "./dialogs.js";
import { header, usesOf } from "./pins.js";
import { findings, fitChip, isReady } from "./role-fit.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("./watch.js").NodeWatch} NodeWatch */
/** @typedef {import("../../lib/types.js").RoleFit} RoleFit */
/** @typedef {import("../../lib/types.js").RoleChoice} Choice */

/** @type {Record<string, string>} */
const DUTIES = {
  head: "Pan, tilt and roll, face, camera",
  arms: "Joints and gripper",
  tracks: "Drive motors and odometry",
  console: "Display and buttons",
};
const STEPS = [
  "Server and node exchange keys",
  "It gets the settings of its role and opens its devices",
  "It is at work",
];

/** What was chosen, and how far it is. */
export class Adoption {
  id = "";
  /** @type {{role: string, instance: string} | null} */ choice = null;
  name = "";
  /** @type {"asking" | "working" | "failed" | "done"} */ phase = "asking";
  /** How many steps are done. */ step = 0;
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
      phase: "asking",
      step: 0,
      refusal: "",
      fix: "",
      code: "",
    });
  }
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption */
export function adoptPage(app, watch, adoption) {
  const node = watch.node(app);
  if (!node)
    return app.store.data.nodes
      ? unknown(watch.id)
      : html`<p class="quiet" role="status">One moment…</p>`;
  const [kind, label] = nodeState(node);
  const isMore = rolesOf(node).length > 0 && adoption.phase === "asking";
  const title = isMore
    ? `Add a role to ${nodeTitle(node)}`
    : `Adopt ${node.display_name || "a new node"}`;
  return html`
    <p class="way-back"><a href="#/nodes">All nodes</a></p>
    <div class="page-head">
      <div>
        <h1>${title} <span class="chip ${kind}"><i class="dot"></i>${label}</span></h1>
        <p class="quiet">
          <code>${node.node_id}</code> · ${node.hardware_model || "unknown hardware"} ·
          ${node.address}
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
          adoption.phase === "asking"
            ? question(app, watch, adoption, node)
            : progress(app, watch, adoption, node)
        }
      </div>
      <div>${planned(app, watch, adoption, node)} ${peripherals(watch, node)}</div>
    </div>
  `;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
function planned(app, watch, adoption, node) {
  const uses = adoption.choice ? usesOf(app, [targetOf(adoption.choice)]) : new Map();
  const pins = watch.status?.pins;
  return html`
    <section class="card" aria-labelledby="pins-title">
      <div class="section-head">
        <h2 id="pins-title">Header</h2>
        <span class="quiet">${
          adoption.choice ? `with what the role ${chosen(adoption)} needs` : "as it is now"
        }</span>
      </div>
      ${
        watch.problem
          ? html`<p class="refusal">It did not tell about its pins: ${watch.problem}</p>`
          : nothing
      }
      ${
        pins
          ? header(app, watch, pins, uses, adoption.phase !== "done")
          : html`<p class="quiet">${noPins(node, watch)}</p>`
      }
    </section>
  `;
}

/** @param {Adoption} adoption */
const chosen = ({ choice }) => (choice ? roleName(choice.role, choice.instance).toLowerCase() : "");

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
function question(app, watch, adoption, node) {
  const isMore = rolesOf(node).length > 0;
  const why = node.not_offered || (isMore && node.state === "offline" ? "it is offline" : "");
  const fit = fitOf(watch, adoption.choice);
  const { choice } = adoption;
  return html`
    <form class="card form" @submit=${onSubmit(() => adopt(app, watch, adoption))}>
      ${
        why
          ? html`
            <p class="notice" role="alert"><strong>It cannot be adopted now:</strong> ${why}</p>
          `
          : nothing
      }
      <fieldset class="options" ?disabled=${Boolean(why)}>
        <legend>${isMore ? "What shall it be besides?" : "What shall it be?"}</legend>
        ${(app.store.data.nodes?.roles ?? []).map((role) => option(app, watch, adoption, role))}
      </fieldset>
      ${isAnyOpen(app, watch) ? nothing : allTaken} ${choice ? findings(fit) : nothing}
      ${isMore ? nothing : nameField(adoption)}
      ${
        mayOperate(app)
          ? nothing
          : html`<p class="refusal">Your account may look only; an operator adopts nodes.</p>`
      }
      <div class="actions">
        <a class="button" href="#/nodes/${node.node_id}">Cancel</a>
        <button
          class="button primary"
          type="submit"
          data-confirm
          ?disabled=${!choice || Boolean(why) || !mayOperate(app)}
        >
          ${
            choice
              ? `${fit && !isReady(fit) ? "Adopt anyway" : "Adopt"} as ${chosen(adoption)}`
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

const allTaken = html`<p class="notice is-quiet" data-all-taken>
  Every role of this robot is taken. A node that is gone is replaced from its own page; one that
  shall do something else is reset there first; a spare one may be ignored.
</p>`;

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
    <span class="hint">What people call it; may be left empty.</span>
  </label>
`;

/** @param {NodeWatch} watch @param {{role: string, instance: string} | null} choice */
function fitOf(watch, choice) {
  const isIt = (/** @type {RoleFit} */ each) =>
    each.role === choice?.role && each.instance === choice?.instance;
  return watch.fit?.find(isIt) ?? null;
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
          ${isOwn(app, watch, role) ? "It has this role" : duty(role, holder, isClosed)}
        </small>
      </span>
      ${isClosed ? nothing : fitChip(fitOf(watch, role), watch.problem)}
    </label>
  `;
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
    ? `Taken by ${who}`
    : `Held by ${who}, which is offline; “Replace” there keeps its name too`;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption @param {NodeInfo} node */
function progress(app, watch, adoption, node) {
  if (adoption.phase === "working") adoption.step = Math.max(adoption.step, seenStep(node));
  const again = () => ((adoption.phase = "asking"), app.draw());
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
            <p class="refusal" role="alert"><strong>It did not work:</strong> ${adoption.refusal}
            </p>
            <p class="quiet">${adoption.fix}</p>
            <div class="actions">
              <button class="button" type="button" @click=${again}>Choose again</button>
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

/** How far the node itself says that it is. @param {NodeInfo} node */
function seenStep(node) {
  return node.is_ours ? 1 : 0;
}

/** @param {Adoption} adoption @param {NodeInfo} node */
function title(adoption, node) {
  if (adoption.phase === "done") return `${nodeTitle(node)} is at work`;
  return adoption.phase === "failed"
    ? `It did not become ${chosen(adoption)}`
    : `Adopting as ${chosen(adoption)}`;
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
  const words = { done: "done", now: "under way", failed: "failed", open: "still to come" };
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
            The node wrote six digits to its log (<code>journalctl -u saint-noded</code>). Are they
            these?
          </p>
          <p class="code" data-code>${adoption.code}</p>
          <p class="quiet">If they differ, somebody stands between this server and the node.</p>
        </div>
      `
      : html`<p class="quiet">The node's release knows no keys: there is no code to compare.</p>`
  }
  <div class="actions">
    ${
      adoption.code
        ? html`
          <button class="button" type="button" @click=${() => askFactoryReset(app, node)}>
            They differ…
          </button>
        `
        : nothing
    }
    <a class="button primary" data-done href="#/nodes/${node.node_id}">${
      adoption.code ? "They are the same" : "Go on"
    }</a>
  </div>
  ${nextOne(app, node)}
`;

/**
 * A robot that is set up has several.
 * @param {App} app
 * @param {NodeInfo} last as newer news may not tell yet
 */
function nextOne(app, last) {
  const { nodes = [], roles = [] } = app.store.data.nodes ?? {};
  const free = inOrder(nodes).filter(
    (each) => isFree(each) && !each.is_ignored && each.node_id !== last.node_id,
  );
  if (!free.length || roles.every((role) => role.node_id)) return nothing;
  const others = free.length === 1 ? "1 node waits" : `${free.length} nodes wait`;
  return html`<p class="quiet">
    ${others} for a role. <a data-next href="#/nodes/${free[0].node_id}/adopt">Adopt
    ${free[0].display_name || free[0].node_id}…</a>
  </p>`;
}

/** @param {App} app @param {NodeWatch} watch @param {Adoption} adoption */
async function adopt(app, watch, adoption) {
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
  watch.again(app);
}
