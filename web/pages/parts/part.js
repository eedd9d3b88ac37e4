// One part: its settings as fields, rename, remove, note, and the card to try it.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { addressOf, keyOf, kindOf } from "../../lib/robot/parts.js";
import { wiresOf } from "../../lib/robot/wiring.js";
import { askConfirmation } from "../../parts/confirm.js";
import { faultOf } from "./draft.js";
import {
  change,
  draftOf,
  newNameOf,
  restarts,
  save,
  unsaved,
  unsavedLine,
  verb,
} from "./drafts.js";
import { fieldsOf } from "./fields.js";
import { notices } from "./frame.js";
import { applyRow } from "./review.js";
import { state } from "./state.js";
import { tryCard } from "./try.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store">} App
 */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {import("./draft.js").Draft} Draft */

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
  const { refusal } = change;
  const fault = isAbout(refusal, part) ? faultOf(refusal, draft) : "";
  const shared = {
    target: part.target,
    name: part.name,
    kind: part.kind,
    unit: String(draft.value("output", "unit") ?? ""),
    draft,
    isLocked: !isAdmin(app) || state.isBusy,
    refusal,
    fault,
    changed: () => ((change.refusal = ""), app.draw()),
  };
  const { hardware, output } = draft.settings;
  return html`
    <form class="card part-form" @submit=${onSubmit(() => saveAll(app, part, draft))}>
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

/** Whether a refusal is about this part: it names it, or nothing else was to be saved.
 * @param {string} refusal @param {RobotPart} part
 */
const isAbout = (refusal, part) =>
  unsaved().length < 2 || new RegExp(`\\b${part.name}\\b`).test(refusal);

/** @param {App} app @param {RobotPart} part @param {Draft} draft @param {string} fault */
function saving(app, part, draft, fault) {
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
  const more = next
    ? html`<a class="button" data-next href=${addressOf(next)}>
      Next: ${words(next.name).toLowerCase()}
    </a>`
    : nothing;
  return html`
    ${applyRow(change, {
      name: "part",
      verb: verb(),
      busy: "Saving…",
      isOff: !unsaved().length,
      fields: name,
      more,
      isShownElsewhere: Boolean(fault),
    })}
    ${unsavedLine(app, keyOf(part))}
    ${
      restarts()
        ? html`<p class="quiet" data-follows>
          Saving starts the router and the pages again: nothing moves for a second or two.
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

/** Save what was typed, of this part and others, then open the part by its new name.
 * @param {App} app @param {RobotPart} part @param {Draft} draft
 */
async function saveAll(app, part, draft) {
  const rename = newNameOf({ part, draft });
  if (!(await save(app))) return;
  if (rename) app.router.go(`/parts/part/${part.target}/${rename}`);
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
