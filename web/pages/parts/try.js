// The card to try a part: it is jogged while a button is held, and its limits and its centre are
// set from where it stands or from the range that it was jogged through.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { Jog } from "../../lib/control/jog.js";
import { whyNotMoved } from "../../lib/control/why-not-moved.js";
import { fixed } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { commanded, measured } from "../../lib/robot/joints.js";
import { keyOf } from "../../lib/robot/parts.js";
import { jogCard } from "../../parts/jog-card.js";
import { state } from "./state.js";

/** @typedef {"api" | "dialogs" | "draw" | "now" | "robot" | "store"} Needs */
/** @typedef {import("../../context.js").With<Needs>} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */
/** @typedef {import("./draft.js").Draft} Draft */
/** @typedef {{target: string, field: string}} Field */

const DIGITS = 100;

/** @type {Jog | null} */ let jog = null;
/** @type {App | null} */ let shownIn = null;

/** Where an output stands: measured, else commanded, else its centre. @param {Field} field */
function position(field) {
  const app = /** @type {App} */ (shownIn);
  const known = measured(field, app.store.data);
  if (known !== null) return known;
  const row = commanded(field, app.store.data);
  if (row && row.policy !== "none") return row.value ?? null;
  return app.robot?.targets?.[field.target]?.[field.field]?.neutral ?? null;
}

/** Release what is held. */
export const release = () => jog?.release();

/** @param {App} app @param {RobotPart} part */
function whyNot(app, part) {
  if (part.output.kind !== "position")
    return "Only positions are tried here. Drive a speed on the page Drive, with space around.";
  if (!part.node_id) return "No node holds this role: adopt one on the page Nodes.";
  if (!app.robot?.targets?.[part.target]?.[part.name])
    return "The router does not know this output yet: it knows it after it has started again.";
  if (state.isRestarting) return "The router and the pages start again; wait a moment.";
  return whyNotMoved(app, { target: part.target, field: part.name });
}

/** Forget the range that a part was jogged through. @param {RobotPart} part */
export const forgetTried = (part) => jog?.tried.delete(keyOf(part));

/** @param {App} app @param {RobotPart} part @param {Draft} draft */
export function tryCard(app, part, draft) {
  shownIn = app;
  if (!jog) {
    jog = new Jog(
      () => /** @type {App} */ (shownIn).api,
      (joint) => whyNotMoved(/** @type {App} */ (shownIn), joint),
      position,
      () => shownIn?.draw(),
    );
    jog.speed = "trial";
  }
  const field = { target: part.target, field: part.name };
  const isPosition = part.output.kind === "position";
  const at = isPosition ? position(field) : null;
  const [low, high] = part.limits;
  const pulse = at === null ? null : pulseAt(part, at);
  const of = {
    ...field,
    title: "Try",
    unit: part.unit,
    isPosition,
    limits: /** @type {[number, number]} */ ([low, high]),
    range: /** @type {[number, number]} */ ([low, high]),
    neutral: app.robot?.targets?.[part.target]?.[part.name]?.neutral ?? 0,
    isHeld: part.output.on_loss === "hold",
    at,
    refusal: whyNot(app, part),
    facts: /** @type {[string, string][]} */ (
      pulse === null ? [] : [["Pulse", `${fixed(pulse, 0)} µs`]]
    ),
  };
  return jogCard(app, jog, of, isAdmin(app) ? marks(app, part, draft, at) : nothing);
}

/** @param {number} value */
const rounded = (value) => Math.round(value * DIGITS) / DIGITS;

/** The pulse of a servo at a position; null for other parts. @param {RobotPart} part
 * @param {number} at
 */
function pulseAt(part, at) {
  const { pulse_us: pulses, centre_us: given, reversed } = part.hardware;
  if (!Array.isArray(pulses) || pulses.length !== 2) return null;
  const [first, last] = (reversed ? [...pulses].reverse() : pulses).map(Number);
  const [low, high] = part.limits;
  const middle = low < 0 && high > 0 ? 0 : (low + high) / 2; // as in lib/hw/pwm/servo.py
  const straight = first + ((middle - low) / (high - low)) * (last - first);
  const centre = typeof given === "number" ? given : straight;
  return at < middle
    ? first + ((at - low) / (middle - low)) * (centre - first)
    : centre + ((at - middle) / (high - middle)) * (last - centre);
}

/** @param {App} app @param {RobotPart} part @param {Draft} draft @param {number | null} at */
function marks(app, part, draft, at) {
  // On release a part may return to its centre: what counts is where it was released.
  const key = keyOf(part);
  const there = part.output.on_loss === "hold" ? at : (jog?.released.get(key) ?? at);
  const tried = jog?.tried.get(key);
  const mark = (/** @type {"low" | "centre" | "high"} */ which) => {
    if (there === null) return;
    take(part, draft, which, rounded(there));
    app.draw();
  };
  const markTried = () => {
    if (!tried) return;
    take(part, draft, "low", rounded(tried[0]));
    take(part, draft, "high", rounded(tried[1]));
    app.draw();
  };
  const off = there === null;
  return html`
    <div class="part-marks" role="group" aria-label="Set from where it stands">
      <button class="button small" type="button" data-mark="low" ?disabled=${off}
        @click=${() => mark("low")}>Lower limit here</button>
      <button class="button small" type="button" data-mark="centre" ?disabled=${off}
        @click=${() => mark("centre")}>Centre here</button>
      <button class="button small" type="button" data-mark="high" ?disabled=${off}
        @click=${() => mark("high")}>Upper limit here</button>
      <button class="button small" type="button" data-mark="tried"
        ?disabled=${!tried || tried[0] === tried[1]}
        @click=${markTried}>Range as tried</button>
    </div>
    <p class="quiet">Fills the fields in; a servo's pulse follows its limit. Save applies it.</p>
  `;
}

/**
 * Take a limit or the centre over into the draft. The pulse of that limit is the one at which the
 * part stands, so that the scale stays the same.
 * @param {RobotPart} part @param {Draft} draft @param {"low" | "centre" | "high"} which
 * @param {number} at
 */
function take(part, draft, which, at) {
  if (which === "centre") {
    draft.type("output", "neutral", String(at));
    return;
  }
  const index = which === "low" ? 0 : 1;
  const limits = /** @type {number[]} */ (draft.value("output", "limits"));
  const pulse = pulseAt(part, at);
  draft.type("output", "limits", limits.with(index, at).join(", "));
  if (pulse === null) return;
  const pulses = /** @type {number[]} */ (draft.value("hardware", "pulse_us"));
  const place = part.hardware.reversed ? 1 - index : index;
  draft.type("hardware", "pulse_us", pulses.with(place, Math.round(pulse)).join(", "));
}
