// Who controls an arm, since when, and the choice of another master; the arms that a leader leads.
// Not here: the rules (routerd).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { age, fixed, targetName, words } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { behind, isOwn, lockText, masterName } from "../../lib/robot/arms.js";
import { absence, isReporting } from "../../lib/robot/nodes.js";
import { reading } from "../../parts/live.js";
import { panelOf } from "./joints.js";
import { state } from "./state.js";

/** @typedef {import("./joints.js").App} App */
/** @typedef {import("../../lib/types.js").MasterInfo} MasterInfo */

/** @param {App} app @param {string} target */
export function masterCard(app, target) {
  const master = state.masterOf(target);
  const client = app.api.session.client_id;
  const lock = lockText(master, client);
  const isOurs = Boolean(master && isOwn(master, client));
  const isFree = !master || master.kind === "none";
  return html`
    <div class="arm-master" data-master=${target} data-kind=${master?.kind ?? ""}>
      <span class="chip ${isOurs ? "busy" : isFree ? "idle" : "warn"}" data-holder>
        <i class="dot"></i>${isOurs ? "This page" : isFree ? "No master" : masterName(master)}
      </span>
      ${isFree ? nothing : html`<span class="quiet">since ${reading(age(master.held_ms))}</span>`}
      ${mayOperate(app) ? choices(app, target, master, isOurs) : nothing}
    </div>
    ${lock ? html`<p class="notice is-quiet" data-locked>${lock}</p>` : nothing}
  `;
}

/** @param {App} app @param {string} target @param {MasterInfo | undefined} master
 * @param {boolean} isOurs */
function choices(app, target, master, isOurs) {
  const isFree = !master || master.kind === "none";
  const off = state.isBusy || app.api.state !== "open";
  const lead = (/** @type {string} */ leader) =>
    state.act(app, async () => {
      panelOf(app).leave();
      await app.api.request("router", "engage_leader", { target, leader, takeover: true });
    });
  const panel = () => state.act(app, () => panelOf(app).keep(target, true));
  const free = () =>
    state.act(app, async () => {
      panelOf(app).leave();
      if (master?.kind === "sequence") await app.api.request("sequence", "stop", { target });
    });
  return html`
    <span class="toolbar" role="group" aria-label="Master">
      <button class="button small" type="button" data-take ?disabled=${off || isOurs}
        @click=${panel}>${isFree || isOurs ? "This page" : "Take over here"}</button>
      ${(master?.leaders ?? []).map(
        ({ name }) => html`<button
          class="button small"
          type="button"
          data-lead=${name}
          ?disabled=${off || master?.holder === `leader:${name}`}
          @click=${() => lead(name)}
        >
          Leader ${name}
        </button>`,
      )}
      ${
        isOurs || master?.kind === "sequence"
          ? html`<button class="button small" type="button" data-free ?disabled=${off}
              @click=${free}>${isOurs ? "Release" : "Stop sequence"}</button>`
          : nothing
      }
    </span>
  `;
}

/** Every follower with its leaders, state and delay. @param {App} app @param {string[]} arms */
export function followers(app, arms) {
  const leaders = Object.entries(app.robot?.leaders ?? {});
  return html`
    <section class="card" aria-labelledby="followers-title" data-followers>
      <h2 id="followers-title">Followers</h2>
      <table class="table stacks arm-followers">
        <thead>
          <tr><th>Arm</th><th>Follows</th><th>State</th><th>Behind</th><th>Age</th></tr>
        </thead>
        <tbody>
          ${arms.map((target) => {
            const away = absence(app, target);
            const isOld = !isReporting(app, target, app.now);
            const gap = behind(app.robot, app.store.data, target);
            const master = state.masterOf(target);
            const by = leaders.filter(([, led]) => /** @type {string[]} */ (led).includes(target));
            const ageMs = app.store.data.parts?.targets?.[target]?.age_ms ?? null;
            const isLed = master && master.kind !== "none";
            const way = gap === null ? "–" : `${fixed(gap, 1)}°`;
            const since = ageMs === null ? "–" : age(ageMs);
            return html`
              <tr data-follower=${target}>
                <td data-label="Arm">${targetName(target)}</td>
                <td data-label="Follows">${isLed ? masterName(master) : free(by)}</td>
                <td data-label="State">
                  <span class="chip ${isOld ? "bad" : "good"}">
                    <i class="dot"></i>${away?.text ?? (isOld ? "Timed out" : "Reports")}
                  </span>
                </td>
                <td class="number" data-label="Behind">${reading(way)}</td>
                <td class="number" data-label="Age">${reading(since)}</td>
              </tr>
            `;
          })}
          ${remotes(app).map(
            ({ name, state: is, delay_ms: delay }) => html`
              <tr data-remote=${name}>
                <td data-label="Arm">${words(name)}</td>
                <td data-label="Follows">Remote</td>
                <td data-label="State">${is}</td>
                <td class="number" data-label="Behind">–</td>
                <td class="number" data-label="Age">${delay === null ? "–" : age(delay)}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </section>
  `;
}

/** @param {[string, unknown][]} by */
const free = (by) => (by.length ? `nobody; led by ${by.map(([name]) => name).join(", ")}` : "–");

/**
 * Remote followers, as far as the robot reports any: a topic "remotes" with `followers`.
 * @param {App} app
 * @returns {{name: string, state: string, delay_ms: number | null}[]}
 */
function remotes(app) {
  const found = /** @type {Record<string, unknown>} */ (app.store.data).remotes;
  const list = /** @type {{followers?: unknown} | undefined} */ (found)?.followers;
  return Array.isArray(list) ? list.filter((each) => typeof each?.name === "string") : [];
}
