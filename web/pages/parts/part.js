// One part: its settings as fields, rename, remove, note, and the card to try it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { addressOf, keyOf, kindOf } from "../../lib/robot/parts.js";
import { wiresOf } from "../../lib/robot/wiring.js";
import { askConfirmation } from "../../parts/confirm.js";
import { Draft, faultOf } from "./draft.js";
import { fieldsOf } from "./fields.js";
import { notices } from "./frame.js";
import { applyRow, RobotChange } from "./review.js";
import { state } from "./state.js";
import { forgetTried, tryCard } from "./try.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store">} App
 */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

/** The part that is open, and what was typed. */
const open = {
  key: "",
  version: -1,
  draft: new Draft({ output: {}, hardware: {} }, { output: [], hardware: [] }),
  change: new RobotChange(),
};

/** @param {RobotPart} part */
function draftOf(part) {
  if (open.key === keyOf(part) && open.version === state.version) return open.draft;
  const kind = state.catalog && kindOf(state.catalog, part);
  const hasOutput = Object.keys(part.output).length > 0;
  open.draft = new Draft(
    { output: part.output, hardware: part.hardware },
    {
      output: hasOutput ? (state.catalog?.output ?? []).filter((each) => each.name !== "kind") : [],
      hardware: kind?.settings ?? [],
    },
  );
  Object.assign(open, { key: keyOf(part), version: state.version });
  open.change = new RobotChange();
  return open.draft;
}

/** @param {App} app @param {string} target @param {string} name */
export function partView(app, target, name) {
  const part = state.parts?.find((each) => each.target === target && each.name === name);
  const back = html`<p class="way-back"><a href="/parts">All parts</a></p>`;
  if (!part)
    return html`${back}
      <div class="page-head"><h1>${words(name)}</h1></div>
      ${notices()}
      ${
        state.parts && !state.isBusy
          ? html`<p class="card">${targetName(target)} has no part ${name} any more.</p>`
          : html`<p class="quiet" role="status">Loading…</p>`
      }`;
  const kind = state.catalog && kindOf(state.catalog, part);
  return html`
    ${back}
    <div class="page-head">
      <div>
        <h1>${words(part.name)}</h1>
        <p class="quiet">
          ${targetName(target)} · ${kind?.title ?? "output of the role"}
          ${part.place ? `· ${part.place}` : ""}
        </p>
      </div>
      ${isAdmin(app) ? actions(app, part) : nothing}
    </div>
    ${notices()}
    <div class="part-page" data-open=${keyOf(part)}>
      ${form(app, part)}
      <div class="part-side">
        ${Object.keys(part.output).length ? tryCard(app, part, draftOf(part)) : nothing}
        ${wires(part)}
      </div>
    </div>
  `;
}

/** @param {App} app @param {RobotPart} part */
const actions = (app, part) => html`
  <div class="toolbar">
    <button
      class="button small"
      type="button"
      data-do="remove"
      @click=${() => askRemoval(app, part)}
    >
      Remove…
    </button>
  </div>
`;

/** @param {App} app @param {RobotPart} part */
function form(app, part) {
  const draft = draftOf(part);
  const { refusal } = open.change;
  const fault = faultOf(refusal, draft);
  const shared = {
    target: part.target,
    name: part.name,
    kind: part.kind,
    unit: String(draft.value("output", "unit") ?? ""),
    draft,
    isLocked: !isAdmin(app) || state.isBusy,
    refusal,
    fault,
    changed: () => ((open.change.refusal = ""), app.draw()),
  };
  const { hardware, output } = draft.settings;
  return html`
    <form class="card part-form" @submit=${onSubmit(() => save(app, part, draft, null))}>
      ${
        hardware.length
          ? html`<fieldset>
            <legend>Hardware</legend>
            <div class="part-fields">${fieldsOf(shared, "hardware")}</div>
          </fieldset>`
          : nothing
      }
      ${
        output.length
          ? html`<fieldset>
            <legend>Output</legend>
            <div class="part-fields">${fieldsOf(shared, "output")}</div>
          </fieldset>`
          : nothing
      }
      ${isAdmin(app) ? saving(app, part, draft, fault) : nothing}
    </form>
  `;
}

/** @param {App} app @param {RobotPart} part @param {Draft} draft @param {string} fault */
function saving(app, part, draft, fault) {
  const isOff = !(draft.isChanged || isRenamed(part, draft));
  const next = nextOf(part);
  const name = html`
    <label class="entry">
      <span>Name</span>
      <input
        name="rename"
        maxlength="48"
        autocapitalize="none"
        spellcheck="false"
        .value=${draft.rename || part.name}
        @input=${withValue((value) => ((draft.rename = value.trim()), app.draw()))}
      >
    </label>
  `;
  const saveNext = html`
    <button
      class="button"
      type="button"
      data-next
      ?disabled=${state.isBusy}
      @click=${() => save(app, part, draft, next)}
    >
      ${isOff ? "Next" : "Save, next"}: ${next ? words(next.name).toLowerCase() : ""}
    </button>
  `;
  return html`
    ${applyRow(open.change, {
      name: "part",
      verb: "Save",
      busy: "Saving…",
      isOff,
      fields: name,
      more: next ? saveNext : nothing,
      isShownElsewhere: Boolean(fault),
    })}
    ${
      restarts(part, draft)
        ? html`<p class="quiet" data-follows>
          Saving this starts the router and the pages again: nothing moves for a second or two.
        </p>`
        : nothing
    }
  `;
}

/** The next output of the same role, which a person who sets ranges goes on with.
 * @param {RobotPart} part
 */
function nextOf(part) {
  const outputs = (state.parts ?? []).filter(
    (each) => each.target === part.target && Object.keys(each.output).length,
  );
  return outputs[outputs.findIndex((each) => each.name === part.name) + 1] ?? null;
}

/** @param {RobotPart} part @param {Draft} draft */
const isRenamed = (part, { rename }) => rename !== "" && rename !== part.name;

/** Whether a save changes what the router knows. @param {RobotPart} part @param {Draft} draft */
const restarts = (part, draft) =>
  Object.keys(draft.changes("output")).length > 0 ||
  (isRenamed(part, draft) && Object.keys(part.output).length > 0);

/**
 * Save what was typed, then open `next`, or the part by its new name.
 * @param {App} app @param {RobotPart} part @param {Draft} draft @param {RobotPart | null} next
 */
async function save(app, part, draft, next) {
  const { target, name } = part;
  const rename = isRenamed(part, draft) ? draft.rename : "";
  const output = draft.changes("output");
  const hardware = draft.changes("hardware");
  const work = (/** @type {number} */ base, /** @type {string} */ note) =>
    app.api.request("robot", "set_part", { target, name, output, hardware, rename, note, base });
  if (draft.isChanged || rename) {
    if (!(await open.change.apply(app, work, restarts(part, draft)))) return;
    forgetTried(part);
  }
  if (next) app.router.go(addressOf(next));
  else if (rename) app.router.go(`/parts/part/${target}/${rename}`);
  app.draw();
}

/** @param {App} app @param {RobotPart} part */
function askRemoval(app, part) {
  const { target, name } = part;
  askConfirmation(app, {
    title: `Remove ${words(name).toLowerCase()}?`,
    text: `${targetName(target)} loses ${name}${
      part.limits.length ? " and its output; routes to it end, and the router starts again" : ""
    }. Versions can bring it back.`,
    verb: "Remove the part",
    isDanger: true,
    work: async () => {
      const work = (/** @type {number} */ base) =>
        app.api.request("robot", "remove_part", { target, name, base });
      await state.change(app, work, part.limits.length > 0);
      app.router.go("/parts");
    },
  });
}

/** @param {RobotPart} part */
function wires(part) {
  const found = state.catalog ? wiresOf(state.catalog, part) : [];
  if (!found.length) return nothing;
  return html`
    <section class="card" aria-labelledby="wires-title">
      <h2 id="wires-title">Wires</h2>
      <dl class="facts-list">
        ${found.map(({ what, to, colour }) => html`<dt>${what}</dt><dd>${to}, ${colour}</dd>`)}
      </dl>
      <p><a class="button small" href="/parts/wiring">Wiring sheet</a></p>
    </section>
  `;
}
