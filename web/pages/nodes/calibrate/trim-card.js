// The calibration form of the chosen joint: values typed, or set from the joint's present position.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked, withValue } from "../../../lib/events.js";
import { quantity } from "../../../lib/format.js";
import { isAdmin } from "../../../lib/levels.js";
import { isReporting } from "../../../lib/robot/nodes.js";
import {
  describe,
  draftOf,
  faults,
  isSame,
  manifestOf,
  reach,
  setToPosition,
  unitName,
} from "./trim.js";

/** @typedef {import("../../../context.js").With<"api" | "now" | "store">} App */
/** @typedef {import("./state.js").Calibration} Calibration */
/** @typedef {import("./page-view.js").Row} Row */

/** @param {App} app @param {Calibration} calibration @param {Row} row */
export function trimCard(app, calibration, row) {
  const { key, target, field } = row;
  const neutral = calibration.spec(target, field.field)?.neutral ?? 0;
  const draft = calibration.draft(key, field);
  const wrong = faults(field, neutral, draft);
  const isChanged = !isSame(draft, draftOf(field));
  const may = isAdmin(app);
  const past = calibration.before.get(key)?.at(-1);
  const submit = onSubmit(() => {
    if (isChanged && may && !Object.keys(wrong).length) calibration.save(target, field, draft);
  });
  return html`
    <section class="card" aria-labelledby="trim-title">
      <h2 id="trim-title">Calibration</h2>
      <form class="form" novalidate @submit=${submit}>
        ${marks(app, calibration, row, neutral, draft)}
        <fieldset ?disabled=${!may} class="form">
          ${field.has_offset ? servo(calibration, row, draft, wrong) : nothing}
          <div class="pair">
            ${number(calibration, row, draft, "low", wrong)}
            ${number(calibration, row, draft, "high", wrong)}
          </div>
        </fieldset>
        ${outcome(row, draft, wrong)}
        ${may ? nothing : html`<p class="quiet">Changing a calibration needs the admin role.</p>`}
        <div class="actions">
          <button
            class="button primary"
            type="submit"
            data-save
            ?disabled=${!may || !isChanged || Object.keys(wrong).length > 0}
          >
            Save…
          </button>
          <button
            class="button"
            type="button"
            data-discard
            ?disabled=${!isChanged}
            @click=${() => calibration.type(key, field, draftOf(field))}
          >
            Discard changes
          </button>
          <button
            class="button"
            type="button"
            data-manifest
            ?disabled=${!may || isSame(draft, manifestOf(field))}
            @click=${() => calibration.type(key, field, manifestOf(field))}
          >
            Use manifest values
          </button>
          ${
            past
              ? html`
                <button
                  class="button"
                  type="button"
                  data-undo
                  ?disabled=${!may}
                  @click=${() => calibration.undo(target, field)}
                >
                  Restore ${describe(past)}…
                </button>
              `
              : nothing
          }
        </div>
        <p role="status" data-message>
          ${
            calibration.message
              ? html`Saved: ${calibration.message.replace(/^saved; /, "")}.`
              : nothing
          }
        </p>
      </form>
    </section>
  `;
}

/**
 * @param {App} app
 * @param {Calibration} calibration
 * @param {Row} row
 * @param {number} neutral
 * @param {import("./trim.js").Draft} draft
 */
function marks(app, calibration, { key, target, field }, neutral, draft) {
  const spec = calibration.spec(target, field.field);
  if (spec?.kind !== "position") return nothing;
  const now = calibration.position({ target, field: field.field });
  const at = spec.on_loss === "hold" ? now : (calibration.jog?.released.get(key) ?? now);
  const isTurned = draft.isReversed !== field.is_reversed;
  const set = (/** @type {"offset" | "low" | "high"} */ what) =>
    at !== null &&
    calibration.type(
      key,
      field,
      setToPosition(field, neutral, calibration.draft(key, field), what, at),
    );
  const isOff = at === null || isTurned || !isReporting(app, target, app.now);
  return html`
    <fieldset class="marks" ?disabled=${isOff}>
      <legend>Use the position ${quantity(at, field.unit)} as</legend>
      ${
        field.has_offset
          ? html`
            <button
              class="button small"
              type="button"
              data-mark="offset"
              @click=${() => set("offset")}
            >
              ${neutral ? "Neutral" : "Zero"}
            </button>
          `
          : nothing
      }
      <button class="button small" type="button" data-mark="low" @click=${() => set("low")}>
        Lowest
      </button>
      <button class="button small" type="button" data-mark="high" @click=${() => set("high")}>
        Highest
      </button>
    </fieldset>
    ${
      isTurned
        ? html`
          <p class="quiet">Save the direction first: it reverses all positions.</p>
        `
        : nothing
    }
  `;
}

/**
 * @param {Calibration} calibration
 * @param {Row} row
 * @param {import("./trim.js").Draft} draft
 * @param {import("./trim.js").Faults} wrong
 */
const servo = (calibration, row, draft, wrong) => html`
  <div class="pair">
    ${number(calibration, row, draft, "offset", wrong)}
    <label class="switch">
      <input
        type="checkbox"
        role="switch"
        name="reversed"
        .checked=${draft.isReversed}
        @change=${withChecked((isOn) =>
          calibration.type(row.key, row.field, {
            ...calibration.draft(row.key, row.field),
            isReversed: isOn,
          }),
        )}
      >
      <span>Reversed <small class="quiet">against the manifest; now
      ${row.field.is_reversed ? "reversed" : "not reversed"}</small></span>
    </label>
  </div>
`;

const TITLES = { offset: "Offset", low: "Lowest", high: "Highest" };

/**
 * @param {Calibration} calibration
 * @param {Row} row
 * @param {import("./trim.js").Draft} draft
 * @param {"offset" | "low" | "high"} name
 * @param {import("./trim.js").Faults} wrong
 */
function number(calibration, { key, field }, draft, name, wrong) {
  const now = { offset: field.offset, low: field.limits[0], high: field.limits[1] }[name];
  const given = { offset: 0, low: field.manifest_limits[0], high: field.manifest_limits[1] }[name];
  return html`
    <label class="entry ${wrong[name] ? "is-wrong" : ""}">
      <span>${TITLES[name]}, ${unitName(field.unit)}</span>
      <input
        name=${name}
        inputmode="decimal"
        autocomplete="off"
        aria-invalid=${wrong[name] ? "true" : "false"}
        aria-describedby=${`${name}-hint`}
        .value=${draft[name]}
        @input=${withValue((value) =>
          calibration.type(key, field, { ...calibration.draft(key, field), [name]: value }),
        )}
      >
      <span class=${wrong[name] ? "wrong" : "hint"} id=${`${name}-hint`} data-hint=${name}>
        ${
          wrong[name] ?? `Now ${quantity(now, field.unit)}, manifest ${quantity(given, field.unit)}`
        }
      </span>
    </label>
  `;
}

/**
 * Show the range of motion if the offset shortens it.
 * @param {Row} row
 * @param {import("./trim.js").Draft} draft
 * @param {import("./trim.js").Faults} wrong
 */
function outcome({ field }, draft, wrong) {
  if (Object.keys(wrong).length) return nothing;
  const [low, high] = reach(field, draft);
  const { unit } = field;
  const asTyped = {
    ...draftOf({ ...field, limits: [low, high] }),
    offset: draft.offset,
    isReversed: draft.isReversed,
  };
  if (isSame(asTyped, draft)) return nothing;
  return html`
    <p class="quiet" data-reach>
      With this offset the joint moves from ${quantity(low, unit)} to ${quantity(high, unit)},
      because the servo's pulses stay within the manifest's limits.
    </p>
  `;
}
