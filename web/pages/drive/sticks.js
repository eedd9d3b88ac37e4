// The page "Drive": a game pad or a stick under the finger, and what it asks for.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { bar } from "../../lib/bar.js";
import { fixed } from "../../lib/format.js";
import { gamepads, isDeadmanHeld, isPossible, padName, sticks } from "../../lib/gamepads.js";

/** @typedef {import("../../app.js").App} App */

/** @param {App} app */
export function teleop(app) {
  const { teleop: hand } = app;
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const isReady = app.api.state === "open" && !isStopped;
  if (app.robot && !app.robot.targets.tracks) {
    return html`<div class="card empty"><p>This robot has nothing to drive.</p></div>`;
  }
  return html`
    <h1 class="hidden">Drive</h1>
    <div class="teleop" data-engaged=${hand.isEngaged}>
      <section aria-labelledby="stick-title">
        <div class="section-head">
          <h2 id="stick-title">Stick</h2>
          <span class="quiet">Moves only while a finger is on it</span>
        </div>
        <div class="card stick-card">${stick(app, isReady)} ${asked(app)} ${speed(app)}</div>
      </section>
      <section aria-labelledby="pad-title">
        <div class="section-head">
          <h2 id="pad-title">Game pad</h2>
          <span class="quiet">Moves only while L1, R1 or the button below is held</span>
        </div>
        <div class="card pad-card">${picker(app)} ${deadman(app, isReady)}</div>
      </section>
    </div>
  `;
}

/** @param {App} app */
function asked(app) {
  const { asked: now, isEngaged } = app.teleop;
  const fields = app.robot?.targets?.tracks;
  return html`
    <div class="asked">
      <p class="chip ${isEngaged ? "good" : "idle"}" role="status" data-state=${isEngaged ? "driving" : "resting"}>
        <i class="dot"></i>${isEngaged ? "Driving" : "At rest"}
      </p>
      ${row("Ahead", now.linear, fields?.linear, "m/s")} ${row("Turn", now.angular, fields?.angular, "rad/s")}
    </div>
  `;
}

/** @param {string} name @param {number} value @param {any} field @param {string} unit */
function row(name, value, field, unit) {
  const most = field?.limits[1] ?? 1;
  return html`
    <div class="asked-row">
      <span>${name}</span>
      <span class="track both"><i ${bar(value, -most, most)}></i></span>
      <span class="number">${fixed(value, 2)} <small class="quiet">${unit}</small></span>
    </div>
  `;
}

/** @param {App} app @param {boolean} isReady */
function stick(app, isReady) {
  const { stick: at } = app.teleop;
  /** @param {PointerEvent} event */
  const move = (event) => {
    if (!at.isHeld) return;
    const area = /** @type {HTMLElement} */ (event.currentTarget);
    const box = area.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * 2 - 1;
    const y = 1 - ((event.clientY - box.top) / box.height) * 2;
    const far = Math.max(1, Math.hypot(x, y));
    [at.x, at.y] = [x / far, y / far];
    place(area, at);
    app.draw();
  };
  /** @param {PointerEvent} event */
  const down = (event) => {
    if (!isReady) return;
    event.preventDefault();
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    at.isHeld = true;
    move(event);
  };
  /** @param {PointerEvent} event */
  const up = (event) => {
    [at.x, at.y, at.isHeld] = [0, 0, false];
    place(/** @type {HTMLElement} */ (event.currentTarget), at);
    app.draw();
  };
  return html`
    <div
      class="stick ${at.isHeld ? "is-held" : ""} ${isReady ? "" : "is-off"}"
      role="application"
      aria-label="Drive stick: pull it with a finger or the mouse"
      data-stick
      @pointerdown=${down}
      @pointermove=${move}
      @pointerup=${up}
      @pointercancel=${up}
      @lostpointercapture=${up}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      <i class="knob"></i>
    </div>
  `;
}

/** @param {HTMLElement} area @param {{x: number, y: number}} at */
function place(area, at) {
  const knob = /** @type {HTMLElement} */ (area.firstElementChild);
  const reach = (area.clientWidth - knob.offsetWidth) / 2;
  knob.style.transform = `translate(${at.x * reach}px, ${-at.y * reach}px)`;
}

/** @param {App} app */
function picker(app) {
  const { teleop: hand } = app;
  if (!isPossible) {
    return html`<p class="notice">
      This browser gives game pads only to pages over https or on localhost. Use the stick, or
      another browser.
    </p>`;
  }
  const pads = gamepads();
  if (!pads.length) {
    return html`<p class="quiet" data-pads="0">No game pad yet. Connect one, then press any button on it.</p>`;
  }
  return html`
    <label class="pick">
      <span>Pad</span>
      <select
        data-pads=${pads.length}
        @change=${(/** @type {any} */ event) => ((hand.chosen = Number(event.target.value)), app.draw())}
      >
        ${pads.map(
          (pad) => html`<option value=${pad.index} ?selected=${pad.index === hand.pad?.index}>${padName(pad)}</option>`,
        )}
      </select>
    </label>
    ${hand.pad ? axes(hand.pad) : nothing}
    <small class="quiet">The left stick drives, the right one moves the head.</small>
  `;
}

/** @param {Gamepad} pad */
function axes(pad) {
  const { x, y, turnX, turnY } = sticks(pad);
  const rows = [
    ["Left stick", x, y],
    ["Right stick", turnX, turnY],
  ];
  return html`
    <dl class="axes">
      ${rows.map(
        ([name, across, up]) => html`
          <dt>${name}</dt>
          <dd>
            <span class="track both"><i ${bar(Number(across), -1, 1)}></i></span>
            <span class="track both"><i ${bar(Number(up), -1, 1)}></i></span>
          </dd>
        `,
      )}
      <dt>Dead-man</dt>
      <dd class="number" data-deadman=${isDeadmanHeld(pad)}>${isDeadmanHeld(pad) ? "held" : "released"}</dd>
    </dl>
  `;
}

/** @param {App} app @param {boolean} isReady */
function deadman(app, isReady) {
  const { teleop: hand } = app;
  if (!hand.pad) return nothing;
  /** @param {PointerEvent} event */
  const down = (event) => {
    /** @type {HTMLElement} */ (event.currentTarget).setPointerCapture(event.pointerId);
    hand.isButtonHeld = true;
    app.draw();
  };
  const up = () => ((hand.isButtonHeld = false), app.draw());
  return html`
    <button
      type="button"
      class="hold ${hand.isButtonHeld ? "is-held" : ""}"
      data-hold
      ?disabled=${!isReady}
      @pointerdown=${down}
      @pointerup=${up}
      @pointercancel=${up}
      @lostpointercapture=${up}
      @contextmenu=${(/** @type {Event} */ event) => event.preventDefault()}
    >
      Hold to drive
    </button>
  `;
}

/** @param {App} app */
function speed(app) {
  const { teleop: hand } = app;
  return html`
    <label class="slider">
      <span>Speed <b>${Math.round(hand.share * 100)} %</b></span>
      <input
        type="range"
        min="5"
        max="100"
        step="5"
        .value=${String(hand.share * 100)}
        @input=${(/** @type {any} */ event) => ((hand.share = event.target.value / 100), app.draw())}
      >
      <small class="quiet">An RC transmitter always wins over this page.</small>
    </label>
  `;
}
