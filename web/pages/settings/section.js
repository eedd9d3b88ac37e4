// Building blocks of the settings' sections.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */

/**
 * A section with a heading, a description and its content.
 * @param {string} id
 * @param {string} title
 * @param {unknown} text
 * @param {unknown} content
 */
export const section = (id, title, text, content) => html`
  <section class="card setting" id=${`set-${id}`} aria-labelledby=${`head-${id}`}>
    <header>
      <div>
        <h2 id=${`head-${id}`}>${title}</h2>
        ${text ? html`<p class="quiet">${text}</p>` : nothing}
      </div>
    </header>
    ${content}
  </section>
`;

/** @param {[string, unknown][]} rows */
export const facts = (rows) => html`
  <dl class="facts-list">
    ${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
  </dl>
`;

/** @param {string} text @param {() => void} again */
export const loadFailed = (text, again) => html`
  <div class="notice">
    <strong>Loading failed.</strong> ${text}
    <button class="button small" type="button" @click=${again}>Try again</button>
  </div>
`;

/**
 * Placeholder or error in place of the robot's settings.
 * @param {App} app
 * @param {import("./state.js").SettingsState} settings
 */
export const absent = (app, settings) =>
  settings.failures.robot
    ? loadFailed(settings.failures.robot, () => settings.request(app, "robot"))
    : waiting;

export const waiting = html`<div class="skeleton setting-skeleton"></div>`;
