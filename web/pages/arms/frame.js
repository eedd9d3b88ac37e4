// The head of the page "Arms" with its tabs and notices.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { viewerNotice } from "../../lib/levels.js";
import { errorLine } from "../../parts/dialog.js";
import { tabs } from "../../parts/tabs.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api">} App */

const TABS = [
  { href: "/arms", title: "Move" },
  { href: "/arms/sequences", title: "Sequences" },
  { href: "/arms/calibrate", title: "Calibrate" },
];

/** @param {App} app @param {string} current @param {unknown} content */
export const framed = (app, current, content) => html`
  <div class="page-head"><h1>Arms</h1></div>
  ${tabs("Arms", TABS, current)} ${viewerNotice(app)}
  ${state.problem ? errorLine(state.problem, "Refused") : nothing} ${content}
`;
