// Driving by keys. Keys count only while this field has the focus, so that typing elsewhere moves
// nothing. Space always stops.

import { html } from "/vendor/lit-html/lit-html.js";
import { isDriveKey, isLookKey, SPEEDS } from "../../lib/control/drive-keys.js";

/** @typedef {import("../../context.js").With<"draw" | "teleop">} App */

/** The key caps: the keys that drive and those that turn the head, the upper one first. */
const CAPS = ["WASD", "IJKL"];
const KEYS_LABEL =
  "Drive by keys while this field has the focus: W, A, S, D or the arrows drive, " +
  "I, J, K, L turn the head, 1 to 4 set the speed";
/** Letter key of each arrow key. @type {Record<string, string>} */
const ARROWS = { ArrowUp: "KeyW", ArrowLeft: "KeyA", ArrowDown: "KeyS", ArrowRight: "KeyD" };

/** @param {App} app @param {boolean} isReady */
export function keyboard(app, isReady) {
  const { teleop } = app;
  /** @param {KeyboardEvent} event */
  const down = (event) => {
    if (!isReady || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.code in SPEEDS) teleop.setShare(SPEEDS[event.code]);
    else if (isDriveKey(event.code) || isLookKey(event.code)) teleop.press(event);
    else return;
    event.preventDefault(); // arrows scroll
    app.draw();
  };
  /** @param {KeyboardEvent} event */
  const up = (event) => teleop.keys.delete(event.code) && app.draw();
  const held = new Set([...teleop.keys].map((code) => ARROWS[code] ?? code));
  return html`
    <section class="keys-part" aria-labelledby="keys-title">
      <div class="section-head"><h2 id="keys-title">Keyboard</h2></div>
      <div
        class="card keys ${isReady ? "" : "is-off"}"
        role="application"
        tabindex="0"
        data-keys
        aria-label=${KEYS_LABEL}
        @keydown=${down}
        @keyup=${up}
        @blur=${() => (teleop.keys.clear(), app.draw())}
      >
        <p class="keys-off">Select this field to drive by keys</p>
        <p class="keys-on">Keys drive the robot; press Tab to leave</p>
        <div class="caps" aria-hidden="true">
          ${CAPS.map((letters) => html`<div>${[...letters].map((each) => cap(each, held))}</div>`)}
        </div>
        <p class="quiet">
          <kbd>W</kbd> <kbd>A</kbd> <kbd>S</kbd> <kbd>D</kbd> or arrows drive, <kbd>I</kbd>
          <kbd>J</kbd> <kbd>K</kbd> <kbd>L</kbd> turn the head. Speed:
          ${Object.entries(SPEEDS).map(
            ([code, share]) =>
              html`<span class="step"><kbd>${code.slice(-1)}</kbd> ${share * 100} %</span> `,
          )}
        </p>
      </div>
    </section>
  `;
}

/** @param {string} letter @param {Set<string>} held codes of the held keys */
const cap = (letter, held) =>
  html`<kbd class="cap ${held.has(`Key${letter}`) ? "is-held" : ""}">${letter}</kbd>`;
