// What a stop has done, by target: who confirmed it, who did not. Not here: the stop itself
// (estop.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { targetName } from "../lib/format.js";

/**
 * @typedef {import("../lib/types.js").LatchState} EStop
 * @typedef {import("../lib/types.js").StopOutcomeInfo} StopOutcome
 */

// confirmations take some milliseconds; after that their absence is said in red
const PATIENCE_MS = 600;
const STATES = {
  stopped: ["good", "Stopped"],
  guard: ["good", "Stopped by the guard"],
  stopping: ["bad", "Still stopping"],
  silent: ["bad", "No answer"],
  absent: ["", "No node holds it"],
};
/** The newest stop that was not confirmed when it was first drawn. */
const waiting = { generation: -1, since: 0 };

/** Whether it is time to say who has not confirmed. @param {EStop} latch @param {number} now */
function isOverdue(latch, now) {
  if (waiting.generation !== latch.generation)
    Object.assign(waiting, { generation: latch.generation, since: now });
  return !latch.confirmed && now - waiting.since > PATIENCE_MS;
}

/** Those whose outputs may still be live. @param {EStop} latch */
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
        ${silent ? html`<strong>No answer: ${silent}.</strong> ` : nothing}
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
    <ul class="outcomes" aria-label="What the stop has done">
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
