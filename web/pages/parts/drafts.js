// What was typed for each part and is not saved yet: any number of parts, which one request puts in
// force together. Not here: the fields of one part (draft.js), the form (part.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { targetName, words } from "../../lib/format.js";
import { addressOf, keyOf, kindOf } from "../../lib/robot/parts.js";
import { Draft } from "./draft.js";
import { RobotChange } from "./review.js";
import { state } from "./state.js";
import { forgetTried } from "./try.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {{part: RobotPart, draft: Draft}} Edit */

/** @type {Map<string, Edit>} */ const edits = new Map();

/** The note of the next save, and why the last one was refused. */
export const change = new RobotChange();

/**
 * Whether a part is still as it was when typing began.
 * @param {RobotPart} a @param {RobotPart} b
 */
const isSame = (a, b) =>
  JSON.stringify([a.output, a.hardware]) === JSON.stringify([b.output, b.hardware]);

/** Return what was typed for a part; a part that has changed since begins again.
 * @param {RobotPart} part
 */
export function draftOf(part) {
  const known = edits.get(keyOf(part));
  if (known && isSame(known.part, part)) return known.draft;
  const kind = state.catalog && kindOf(state.catalog, part);
  const hasOutput = Object.keys(part.output).length > 0;
  const draft = new Draft(
    { output: part.output, hardware: part.hardware },
    {
      output: hasOutput ? (state.catalog?.output ?? []).filter((each) => each.name !== "kind") : [],
      hardware: kind?.settings ?? [],
    },
  );
  edits.set(keyOf(part), { part, draft });
  return draft;
}

/** Return the parts with changes that are not saved, in the order of the robot. */
export const unsaved = () =>
  (state.parts ?? []).flatMap((part) => {
    const edit = edits.get(keyOf(part));
    return edit && isSame(edit.part, part) && isEdited(edit) ? [edit] : [];
  });

/** @param {RobotPart} part */
export const isUnsaved = (part) => unsaved().some((edit) => keyOf(edit.part) === keyOf(part));

/** The name that a save gives to a part; empty: it keeps its own. @param {Edit} edit */
export const newNameOf = ({ part, draft }) => (draft.rename === part.name ? "" : draft.rename);

/** @param {Edit} edit */
const isEdited = (edit) => edit.draft.isChanged || newNameOf(edit) !== "";

/** Whether a save changes what the router knows. */
export const restarts = () =>
  unsaved().some(
    (edit) =>
      Object.keys(edit.draft.changes("output")).length > 0 ||
      (newNameOf(edit) !== "" && Object.keys(edit.part.output).length > 0),
  );

export function discard() {
  edits.clear();
  change.refusal = "";
}

/** Put all that was typed in force, whole; false: it was refused. @param {App} app */
export async function save(app) {
  const saved = unsaved();
  const parts = saved.map((edit) => ({
    target: edit.part.target,
    name: edit.part.name,
    output: edit.draft.changes("output"),
    hardware: edit.draft.changes("hardware"),
    rename: newNameOf(edit),
  }));
  const work = (/** @type {number} */ base, /** @type {string} */ note) =>
    app.api.request("robot", "set_parts", { parts, note, base });
  if (!(await change.apply(app, work, restarts()))) return false;
  for (const { part } of saved) forgetTried(part);
  discard();
  return true;
}

/** "Save", or "Save 3 parts". */
export function verb() {
  const count = unsaved().length;
  return count > 1 ? `Save ${count} parts` : "Save";
}

/** Name the parts that a save would change, and offer to discard the changes; nothing for the part
 * that is open alone. @param {App} app @param {string} open
 */
export function unsavedLine(app, open) {
  const found = unsaved();
  if (!found.some(({ part }) => keyOf(part) !== open)) return nothing;
  const isOfOneRole = new Set(found.map(({ part }) => part.target)).size === 1;
  const links = found.map(({ part }, at) => {
    const role = isOfOneRole ? "" : `${targetName(part.target).toLowerCase()} `;
    const name = `${role}${words(part.name).toLowerCase()}`;
    return html`${at ? ", " : ""}<a href=${addressOf(part)}>${name}</a>`;
  });
  return html`
    <div class="parts-unsaved" data-unsaved>
      <p>Not saved yet: ${links}.</p>
      <button class="button small" type="button" data-discard ?disabled=${state.isBusy}
        @click=${() => (discard(), app.draw())}>Discard</button>
    </div>
  `;
}

// Closing the window shows the browser's own confirmation.
addEventListener("beforeunload", (event) => {
  if (unsaved().length) event.preventDefault();
});
