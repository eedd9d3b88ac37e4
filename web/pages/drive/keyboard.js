// Driving by keys. They count only while this field has the focus: a key that is pressed anywhere
// else must not move a robot. Space stays the stop.

import { html } from "/vendor/lit-html/lit-html.js";
import { isDriveKey, isLookKey, SPEEDS } from "../../lib/control/drive-keys.js";

/** @typedef {import("../../context.js").With<"draw" | "teleop">} App */

/**
 * @type {[string, string, string][]} rows of caps: key's place, its sign, the area that it stands
 * in
 */
const CAPS = [
  ["KeyW", "W", "w"],
  ["KeyA", "A", "a"],
  ["KeyS", "S", "s"],
  ["KeyD", "D", "d"],
  ["KeyI", "I", "i"],
  ["KeyJ", "J", "j"],
  ["KeyK", "K", "k"],
  ["KeyL", "L", "l"],
];
const WHAT_KEYS_DO =
  "Drive by keys while this field has the focus: W, A, S, D or the arrows drive, " +
  "I, J, K, L turn the head, 1 to 4 set the speed";
/** Arrows do as their letters. @type {Record<string, string>} */
const ARROWS = { ArrowUp: "KeyW", ArrowLeft: "KeyA", ArrowDown: "KeyS", ArrowRight: "KeyD" };

/** @param {App} app @param {boolean} isReady */
export function keyboard(app, isReady) {
  const { teleop: hand } = app;
  /** @param {KeyboardEvent} event */
  const down = (event) => {
    if (!isReady || event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.code in SPEEDS) hand.setShare(SPEEDS[event.code]);
    else if (isDriveKey(event.code) || isLookKey(event.code)) hand.keys.add(event.code);
    else return;
    event.preventDefault(); // arrows would scroll
    app.draw();
  };
  /** @param {KeyboardEvent} event */
  const up = (event) => hand.keys.delete(event.code) && app.draw();
  const held = new Set([...hand.keys].map((code) => ARROWS[code] ?? code));
  return html`
    <section class="keys-part" aria-labelledby="keys-title">
      <div class="section-head"><h2 id="keys-title">Keyboard</h2></div>
      <div
        class="card keys ${isReady ? "" : "is-off"}"
        role="application"
        tabindex="0"
        data-keys
        aria-label=${WHAT_KEYS_DO}
        @keydown=${down}
        @keyup=${up}
        @blur=${() => (hand.keys.clear(), app.draw())}
      >
        <p class="keys-off">Choose this field to drive by keys</p>
        <p class="keys-on">Keys drive now; Tab leaves</p>
        <div class="caps" aria-hidden="true">
          ${CAPS.map(
            ([code, sign, area]) =>
              html`<kbd class="cap at-${area} ${held.has(code) ? "is-held" : ""}">${sign}</kbd>`,
          )}
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
