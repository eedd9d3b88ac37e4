// One part: its settings as fields, rename, remove, note, and the card to try it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { keyOf, kindOf } from "../../lib/robot/parts.js";
import { wiresOf } from "../../lib/robot/wiring.js";
import { askConfirmation } from "../../parts/confirm.js";
import { errorLine } from "../../parts/dialog.js";
import { Draft, faultOf } from "./draft.js";
import { fieldsOf } from "./fields.js";
import { notices } from "./frame.js";
import { state } from "./state.js";
import { tryCard } from "./try.js";

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
  refusal: "",
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
  Object.assign(open, { key: keyOf(part), version: state.version, refusal: "" });
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
  const fault = faultOf(open.refusal, draft);
  const shared = {
    target: part.target,
    name: part.name,
    kind: part.kind,
    unit: String(draft.value("output", "unit") ?? ""),
    draft,
    isLocked: !isAdmin(app) || state.isBusy,
    refusal: open.refusal,
    fault,
    changed: () => ((open.refusal = ""), app.draw()),
  };
  const { hardware, output } = draft.settings;
  return html`
    <form class="card part-form" @submit=${onSubmit(() => save(app, part, draft))}>
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
const saving = (app, part, draft, fault) => html`
  <div class="part-save">
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
    <label class="entry">
      <span>Note <small class="quiet">for the list of versions</small></span>
      <input
        name="note"
        maxlength="120"
        .value=${draft.note}
        @input=${withValue((value) => (draft.note = value))}
      >
    </label>
    <button
      class="button primary"
      type="submit"
      data-save
      ?disabled=${state.isBusy || !(draft.isChanged || isRenamed(part, draft))}
    >
      ${state.isBusy ? "Saving…" : "Save"}
    </button>
  </div>
  ${open.refusal && !fault ? errorLine(open.refusal, "Refused") : nothing}
  ${
    restarts(part, draft)
      ? html`<p class="quiet" data-follows>
        Saving this starts the router and the pages again: nothing moves for a second or two.
      </p>`
      : nothing
  }
`;

/** @param {RobotPart} part @param {Draft} draft */
const isRenamed = (part, { rename }) => rename !== "" && rename !== part.name;

/** Whether a save changes what the router knows. @param {RobotPart} part @param {Draft} draft */
const restarts = (part, draft) =>
  Object.keys(draft.changes("output")).length > 0 ||
  (isRenamed(part, draft) && Object.keys(part.output).length > 0);

/** @param {App} app @param {RobotPart} part @param {Draft} draft */
async function save(app, part, draft) {
  const { target, name } = part;
  const rename = isRenamed(part, draft) ? draft.rename : "";
  open.refusal = "";
  try {
    await state.change(
      app,
      (base) =>
        app.api.request("robot", "set_part", {
          target,
          name,
          output: draft.changes("output"),
          hardware: draft.changes("hardware"),
          rename,
          note: draft.note,
          base,
        }),
      restarts(part, draft),
    );
    if (rename) app.router.go(`/parts/part/${target}/${rename}`);
  } catch (err) {
    open.refusal = sentenceOf(err);
  }
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
