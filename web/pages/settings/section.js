// What all sections of the settings are made of. Nothing is kept here.

import { html, nothing } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */

/**
 * One part of the page: a heading, a sentence, what can be set.
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
export const notThere = (text, again) => html`
  <div class="notice">
    <strong>This is not known now.</strong> ${text}
    <button class="button small" type="button" @click=${again}>Try again</button>
  </div>
`;

/**
 * In the place of what settings get has not told.
 * @param {App} app
 * @param {import("./state.js").Answers} answers
 */
export const absent = (app, answers) =>
  answers.failures.robot
    ? notThere(answers.failures.robot, () => answers.ask(app, "robot"))
    : waiting;

export const waiting = html`<div class="skeleton setting-skeleton"></div>`;
