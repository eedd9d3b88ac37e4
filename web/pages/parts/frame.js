// What every view of the page "Parts" shows: title, tabs, and the result of the last change.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { tabs } from "../../parts/tabs.js";
import { state } from "./state.js";

const TABS = [
  { href: "/parts", title: "Parts" },
  { href: "/parts/wiring", title: "Wiring" },
  { href: "/parts/figure", title: "Figure" },
  { href: "/parts/file", title: "File" },
  { href: "/parts/templates", title: "Templates" },
  { href: "/parts/versions", title: "Versions" },
];

/** @param {string} current @param {unknown} actions @param {unknown} content */
export const framed = (current, actions, content) => html`
  <div class="page-head">
    <h1>Parts</h1>
    <div class="toolbar">${actions}</div>
  </div>
  ${tabs("Parts", TABS, current)} ${notices()} ${content}
`;

export const notices = () => html`
  ${
    state.problem
      ? html`<p class="notice" role="alert">
        <strong>Reading the robot failed.</strong> ${state.problem}
      </p>`
      : nothing
  }
  ${
    state.document?.problem
      ? html`<p class="notice" role="alert">${state.document.problem}</p>`
      : nothing
  }
  ${state.applied ? applied(state.applied) : nothing}
`;

/** @param {import("../../lib/types.js").RobotApplied} reply */
const applied = ({ version, message, changes, warnings }) => html`
  <div class="notice is-quiet parts-applied" role="status" data-applied>
    <strong>
      ${changes.length ? `Version ${version} is in force.` : "Nothing has changed."}
    </strong>
    ${changes.length ? message : nothing}
    ${changes.length ? changeList(changes) : nothing}
    ${warningList(warnings)}
    ${
      state.isRestarting
        ? html`<p data-restart>
          The router and the pages start again. This page comes back by itself.
        </p>`
        : nothing
    }
  </div>
`;

/** @param {string[]} warnings */
export const warningList = (warnings) =>
  warnings.map((each) => html`<p class="quiet"><strong>Warning:</strong> ${each}.</p>`);

/** @param {string[]} changes */
export const changeList = (changes) => html`
  <ul class="parts-changes">${changes.map((each) => html`<li>${each}</li>`)}</ul>
`;
