// A text field of a form with its hint or its error.

import { html } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";

/**
 * @typedef {object} Entry
 * @property {string} id
 * @property {string} label
 * @property {string} value
 * @property {string} hint
 * @property {string} wrong error; empty: none
 * @property {boolean} isFixed
 * @property {(value: string) => void} edit
 * @property {string} [type]
 */

/** @param {Entry} field */
export const entry = (field) => html`
  <label class="entry ${field.wrong ? "is-wrong" : ""}">
    <span>${field.label}</span>
    <input
      name=${field.id}
      type=${field.type ?? "text"}
      autocomplete="off"
      autocapitalize="none"
      spellcheck="false"
      aria-describedby=${`${field.id}-hint`}
      aria-invalid=${field.wrong ? "true" : "false"}
      .value=${field.value}
      ?disabled=${field.isFixed}
      @input=${withValue((value) => field.edit(value))}
    >
    <small class=${field.wrong ? "wrong" : "hint"} id=${`${field.id}-hint`}>${
      field.wrong || field.hint
    }</small>
  </label>
`;
