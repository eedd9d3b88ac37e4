// Driving by hand: moves only while a button is held, stops when anything at all happens to it.

import { html } from "/vendor/lit-html/lit-html.js";

/** @typedef {import("../../app.js").App} App */

const PERIOD_MS = 50; // the router forgets a client after 300 ms
/** Directions as (linear, angular); turning left is positive. @type {Record<string, [number, number]>} */
const WAYS = { ahead: [1, 0], back: [-1, 0], left: [0, 1], right: [0, -1] };
/** @type {Record<string, string>} */
const KEYS = { ArrowUp: "ahead", ArrowDown: "back", ArrowLeft: "left", ArrowRight: "right" };

/** What is held, and by which hand. @type {Map<string, "pointer" | "key">} */
const held = new Map();
let share = 0.25;
let timer = 0;

/** @param {App} app */
function send(app) {
  const fields = app.robot?.targets?.tracks;
  const most = [fields?.linear?.limits[1] ?? 0, fields?.angular?.limits[1] ?? 0];
  const sum = [0, 0];
  for (const way of held.keys()) WAYS[way].forEach((part, i) => (sum[i] += part));
  const [linear, angular] = sum.map((part, i) => Math.sign(part) * most[i] * share);
  app.api.command("tracks", "drive", { linear, angular });
}

/** @param {App} app @param {string} way @param {"pointer" | "key"} hand */
function hold(app, way, hand) {
  held.set(way, hand);
  send(app);
  if (!timer) timer = setInterval(() => send(app), PERIOD_MS);
  app.draw();
}

/** @param {App} app @param {string} [way] all of them when it is not named */
function release(app, way) {
  const wasMoving = held.size > 0;
  if (way) held.delete(way);
  else held.clear();
  if (wasMoving && !held.size) {
    clearInterval(timer);
    timer = 0;
    app.api.command("tracks", "stop", {});
  }
  app.draw();
}

let isWatching = false;

/** Whatever takes the page away from the hand, stops. @param {App} app */
function watch(app) {
  if (isWatching) return;
  isWatching = true;
  addEventListener("blur", () => release(app));
  addEventListener("pagehide", () => release(app));
  document.addEventListener("visibilitychange", () => document.hidden && release(app));
}

/** @param {App} app */
export function drivePad(app) {
  watch(app);
  const isReady = app.api.state === "open" && !app.store.data.system?.estop?.active;
  if (!isReady && held.size) release(app);
  const isFitted = !app.robot || app.robot.targets.tracks;
  if (!isFitted) return html``;
  /** @param {KeyboardEvent} event */
  const key = (event) => {
    const way = KEYS[event.key];
    if (!way || !isReady) return;
    event.preventDefault();
    if (event.type === "keyup") release(app, way);
    else if (!event.repeat) hold(app, way, "key");
  };
  const leave = () => {
    for (const [way, hand] of held) if (hand === "key") release(app, way);
  };
  return html`
    <section aria-labelledby="drive-title">
      <div class="section-head">
        <h2 id="drive-title">Drive</h2>
        <span class="quiet">Moves only while held</span>
      </div>
      <div class="card drive" @keydown=${key} @keyup=${key} @focusout=${leave}>
        <div class="pad" role="group" aria-label="Drive; arrow keys work too">
          ${way(app, "ahead", "Ahead", isReady)} ${way(app, "left", "Turn left", isReady)}
          ${way(app, "right", "Turn right", isReady)} ${way(app, "back", "Back", isReady)}
        </div>
        <label class="slider">
          <span>Speed <b>${Math.round(share * 100)} %</b></span>
          <input
            type="range"
            min="10"
            max="100"
            step="5"
            .value=${String(share * 100)}
            @input=${(/** @type {any} */ event) => ((share = event.target.value / 100), app.draw())}
          >
          <small class="quiet">An RC transmitter always wins over this page.</small>
        </label>
      </div>
    </section>
  `;
}

/** @param {App} app @param {string} name @param {string} label @param {boolean} isReady */
function way(app, name, label, isReady) {
  /** @param {PointerEvent} event */
  const down = (event) => {
    const button = /** @type {HTMLElement} */ (event.currentTarget);
    button.setPointerCapture(event.pointerId);
    hold(app, name, "pointer");
  };
  const up = () => release(app, name);
  return html`
    <button
      type="button"
      class="way ${name} ${held.has(name) ? "is-held" : ""}"
      aria-label=${label}
      ?disabled=${!isReady}
      @pointerdown=${down}
      @pointerup=${up}
      @pointercancel=${up}
      @lostpointercapture=${up}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true">
        <path d="M12 5.5 19 16H5Z" fill="currentColor" stroke="currentColor" stroke-width="2"
          stroke-linejoin="round"/>
      </svg>
    </button>
  `;
}
