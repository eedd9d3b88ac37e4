// The dialog for this browser's own settings: stop key, stop button of the game pad, colours.

import { html } from "/vendor/lit-html/lit-html.js";
import { PAD_BUTTONS } from "../lib/control/stop-keys.js";
import { withValue } from "../lib/events.js";
import { choice, chooseTheme } from "../lib/theme.js";
import { dialog } from "../parts/dialog.js";

/** @typedef {import("../context.js").With<"dialogs" | "draw" | "stopKeys">} App */

const KEYS = /** @type {const} */ ([
  ["space", "Space", "Except while you type or on a control reached by keyboard"],
  ["escape", "Escape", "Always, also while you type and in dialogs"],
  ["both", "Both", "Each as above"],
  ["none", "None", "Only the button on the page stops"],
]);
const THEMES = { system: "System setting", light: "Light", dark: "Dark" };

/** @param {string} value of the select */
const themeOf = (value) => (value === "light" || value === "dark" ? value : "system");

/** @param {App} app */
export function browserDialog(app) {
  const close = () => ((app.dialogs.browser = null), app.draw());
  const { stopKeys } = app;
  return dialog(
    app.dialogs.browser,
    close,
    () => html`
      <h2>Browser settings</h2>
      <fieldset class="options">
        <legend>Key that stops the robot</legend>
        ${KEYS.map(
          ([key, title, hint]) => html`
            <label class="option">
              <input
                type="radio"
                name="stop-key"
                value=${key}
                .checked=${stopKeys.key === key}
                @change=${() => (stopKeys.chooseKey(key), app.draw())}
              >
              <span><b>${title}</b><small>${hint}</small></span>
            </label>
          `,
        )}
      </fieldset>
      <label class="entry">
        <span>Game pad button that stops the robot</span>
        <select
          @change=${withValue((value) => (stopKeys.choosePadButton(value), app.draw()))}
        >
          ${Object.entries(PAD_BUTTONS).map(
            ([value, title]) =>
              html`
                <option value=${value} ?selected=${stopKeys.padButton === value}>${title}</option>
              `,
          )}
        </select>
      </label>
      <label class="entry">
        <span>Colours</span>
        <select @change=${withValue((value) => (chooseTheme(themeOf(value)), app.draw()))}>
          ${Object.entries(THEMES).map(
            ([value, title]) =>
              html`<option value=${value} ?selected=${choice() === value}>${title}</option>`,
          )}
        </select>
      </label>
      <div class="actions">
        <button class="button primary" type="button" @click=${close}>Close</button>
      </div>
    `,
    "Browser settings",
  );
}
