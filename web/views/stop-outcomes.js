// The outcome of an emergency stop by target: confirmed, still stopping, or no reply. Not here: the
// stop itself (estop.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { targetName } from "../lib/format.js";

/**
 * @typedef {import("../lib/types.js").LatchState} EStop
 * @typedef {import("../lib/types.js").StopOutcomeInfo} StopOutcome
 */

// confirmations take some milliseconds; later a missing one is shown as an error
const CONFIRM_TIMEOUT_MS = 600;
const STATES = {
  stopped: ["good", "Stopped"],
  guard: ["good", "Stopped by the guard"],
  stopping: ["bad", "Still stopping"],
  silent: ["bad", "No reply"],
  absent: ["", "No node"],
};
/** The newest stop that was not confirmed at its first drawing. */
const waiting = { generation: -1, since: 0 };

/** Whether the confirmation has timed out. @param {EStop} latch @param {number} now */
function isOverdue(latch, now) {
  if (waiting.generation !== latch.generation)
    Object.assign(waiting, { generation: latch.generation, since: now });
  return !latch.confirmed && now - waiting.since > CONFIRM_TIMEOUT_MS;
}

/** Return the targets whose outputs may still be live. @param {EStop} latch */
const open = (latch) =>
  (latch.outcomes ?? []).filter(({ state }) => state === "silent" || state === "stopping");

/** @param {EStop} latch @param {number} now */
export function unconfirmed(latch, now) {
  if (!isOverdue(latch, now)) return nothing;
  const found = open(latch);
  const names = (/** @type {string} */ state) =>
    found
      .filter((each) => each.state === state)
      .map(({ target }) => targetName(target))
      .join(", ");
  const [silent, moving] = [names("silent"), names("stopping")];
  return html`
    <div class="banner lost" role="alert" data-unconfirmed>
      <div>
        ${silent ? html`<strong>No reply: ${silent}.</strong> ` : nothing}
        ${moving ? html`<strong>Still stopping: ${moving}.</strong> ` : nothing}
        ${found.length ? nothing : html`<strong>The stop is not confirmed.</strong> `} Outputs may
        still be live: cut the power.
      </div>
    </div>
  `;
}

/** @param {StopOutcome[]} outcomes */
export function outcomeList(outcomes) {
  if (!outcomes.length) return nothing;
  return html`
    <ul class="outcomes" aria-label="Outcome of the stop">
      ${outcomes.map((each) => {
        const [kind, word] = STATES[each.state];
        return html`
          <li data-outcome=${each.target} data-state=${each.state}>
            <b>${targetName(each.target)}</b>
            <span class="chip ${kind}"><i class="dot"></i>${word}</span>
            ${
              each.after_ms === null
                ? nothing
                : html`<small>${Math.round(each.after_ms)} ms</small>`
            }
            ${each.detail ? html`<small>${each.detail}</small>` : nothing}
          </li>
        `;
      })}
    </ul>
  `;
}
