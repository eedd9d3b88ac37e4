// Form fields: label, control, and a hint or an error.

import { live } from "/vendor/lit-html/directives/live.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withChecked, withField, withValue } from "../../lib/events.js";

/**
 * @typedef {object} Entry
 * @property {string} key name of the field on the robot: "mapping[0].scale"
 * @property {string} label
 * @property {string} wrong error; empty: none
 * @property {string} [hint]
 */

/** @param {string} key */
const idOf = (key) => `field-${key.replace(/\W+/g, "-")}`;

/**
 * @param {Entry} entry
 * @param {(attributes: {id: string, note: string, isWrong: boolean}) => unknown} control
 */
function entry({ key, label, wrong, hint = "" }, control) {
  const id = idOf(key);
  return html`
    <div class="entry ${wrong ? "is-wrong" : ""}" data-key=${key}>
      <label for=${id}><span>${label}</span></label>
      ${control({ id, note: `${id}-note`, isWrong: Boolean(wrong) })}
      <span id="${id}-note" class=${wrong ? "wrong" : "hint"}>${wrong || hint}</span>
    </div>
  `;
}

/**
 * @param {Entry} field
 * @param {string} value
 * @param {(value: string) => void} set
 * @param {{list?: string, isRequired?: boolean}} [more]
 */
export const textEntry = (field, value, set, more = {}) =>
  entry(
    field,
    ({ id, note, isWrong }) => html`<input
      id=${id}
      type="text"
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      list=${more.list ?? nothing}
      aria-describedby=${note}
      aria-invalid=${isWrong}
      .value=${live(value)}
      @input=${withValue(set)}
    >`,
  );

/**
 * @param {Entry} field
 * @param {number | null | ""} value
 * @param {(value: number | "" ) => void} set "" for an empty field
 * @param {{placeholder?: string, step?: number, min?: number, max?: number}} [more]
 */
export const numberEntry = (field, value, set, more = {}) =>
  entry(
    field,
    ({ id, note, isWrong }) => html`<input
      id=${id}
      type="number"
      step=${more.step ?? "any"}
      min=${more.min ?? nothing}
      max=${more.max ?? nothing}
      placeholder=${more.placeholder ?? nothing}
      aria-describedby=${note}
      aria-invalid=${isWrong}
      .value=${live(value === null ? "" : String(value))}
      @input=${withField(({ value: given, validity }) => {
        // "-" or "1e" is not a number yet: wait for the rest.
        if (!validity.badInput) set(given === "" ? "" : Number(given));
      })}
    >`,
  );

/**
 * @param {Entry} field
 * @template {string} T
 * @param {T} value
 * @param {[T, string][]} choices value and words
 * @param {(value: T) => void} set
 */
export const choiceEntry = (field, value, choices, set) =>
  entry(
    field,
    ({ id, note, isWrong }) => html`<select
      id=${id}
      aria-describedby=${note}
      aria-invalid=${isWrong}
      @change=${withValue((given) => set(/** @type {T} */ (given)))}
    >
      ${choices.map(
        ([each, words]) =>
          html`<option value=${each} .selected=${each === value}>${words}</option>`,
      )}
    </select>`,
  );

/** @param {string} label @param {boolean} value @param {(value: boolean) => void} set */
export const checkEntry = (label, value, set) => html`
  <label class="check">
    <input type="checkbox" .checked=${live(value)} @change=${withChecked(set)}>
    ${label}
  </label>
`;

/**
 * Pass a typed value to the router, which reports an error for an empty field.
 * @param {number | ""} given
 */
export const numberOf = (given) => /** @type {number} */ (given);
