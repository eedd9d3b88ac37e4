// What the wagon measures: speed, battery, motors, receivers, and its CAN bus.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed, words } from "../../lib/format.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"robot">} App */
/** @typedef {import("./state.js").Wagon} Wagon */

// lib/wagon/meanings.py
const CELLS = 10;
const [EMPTY_V, LOW_V, HIGH_V] = [30, 33, 43];
const HOT_C = 70;
const TOO_HOT_C = 85;
const MOST_A = 40;
const FULL_TURN_DPS = 115;
/** @type {Record<string, string>} */
const RECEIVERS = { first: "Crossfire", second: "ELRS" };

/** @param {App} app @param {Wagon} wagon */
export function motion(app, wagon) {
  const most = app.robot?.targets.wagon?.linear?.limits[1] ?? 1;
  const { speed = null, yaw_rate: turn = null } = wagon;
  return html`
    <section class="card" aria-labelledby="speed-title">
      <header><h2 id="speed-title">Speed</h2></header>
      <p class="base-big"><b class="number" data-speed>${fixed(speed, 2)}</b> m/s</p>
      <span class="track both"><i ${bar(speed, -most, most)}></i></span>
      <dl class="base-facts">
        <div><dt>Commanded</dt><dd>${fixed(wagon.commanded_speed, 2)} m/s</dd></div>
        <div><dt>Turns</dt><dd>${fixed(turn, 0)} °/s</dd></div>
      </dl>
      <span class="track both thin"><i ${bar(turn, FULL_TURN_DPS, -FULL_TURN_DPS)}></i></span>
    </section>
  `;
}

/** @param {Wagon} wagon */
export function battery({ battery_voltage: volts = null }) {
  const look = batteryLook(volts);
  return html`
    <section class="card" aria-labelledby="battery-title">
      <header>
        <h2 id="battery-title">Battery</h2>
        ${look[1] ? html`<span class="chip ${look[0]}">${look[1]}</span>` : nothing}
      </header>
      <p class="base-big"><b class="number" data-volts>${fixed(volts, 1)}</b> V</p>
      <span class="track"><i ${bar(volts, EMPTY_V, HIGH_V - 1, EMPTY_V)}></i></span>
      <dl class="base-facts">
        <div>
          <dt>A cell (of ${CELLS})</dt>
          <dd data-cell>${fixed(volts === null ? null : volts / CELLS, 2)} V</dd>
        </div>
      </dl>
    </section>
  `;
}

/** @param {number | null} volts @returns {[look: string, text: string]} */
function batteryLook(volts) {
  if (volts === null) return ["idle", "Not reported"];
  if (volts < EMPTY_V) return ["bad", "Empty"];
  if (volts > HIGH_V) return ["bad", "Voltage too high"];
  return volts < LOW_V ? ["warn", "Low"] : ["good", ""];
}

/** @param {Wagon} wagon */
export const motors = ({ motors: found }) => html`
  <section class="card" aria-labelledby="motors-title">
    <header><h2 id="motors-title">Motors</h2></header>
    <table class="base-table">
      <thead><tr><th>Wheels</th><th>Current</th><th>Motor</th><th>Controller</th></tr></thead>
      <tbody>
        ${found.map(
          (each) => html`
            <tr data-motor=${each.name}>
              <th scope="row">${words(each.name)}</th>
              <td>
                <span class="number">${fixed(each.current, 1)}</span> A
                <span class="track thin"><i ${bar(each.current, -MOST_A, MOST_A)}></i></span>
              </td>
              ${heat(each.temperature)} ${heat(each.controller_temperature)}
            </tr>
          `,
        )}
      </tbody>
    </table>
  </section>
`;

/** @param {number | null | undefined} celsius */
function heat(celsius) {
  const look = (celsius ?? 0) >= TOO_HOT_C ? "is-bad" : (celsius ?? 0) >= HOT_C ? "is-warn" : "";
  return html`<td class=${look}><span class="number">${fixed(celsius, 0)}</span> °C</td>`;
}

/** @param {Wagon} wagon */
export const receivers = (wagon) => html`
  <section class="card base-receivers" aria-labelledby="receivers-title">
    <header>
      <h2 id="receivers-title">Receivers</h2>
      ${wagon.receiver === "none" ? html`<span class="chip bad">No signal</span>` : nothing}
    </header>
    <ul class="base-rows">
      ${wagon.receivers.map(
        ({ name, rssi = null, is_in_use: isInUse }) => html`
          <li data-receiver=${name} data-in-use=${isInUse}>
            <span>${RECEIVERS[name] ?? name}</span>
            <span class="number">${rssi === null ? "no signal" : `${fixed(rssi, 0)} dBm`}</span>
            ${isInUse ? html`<span class="chip good">In use</span>` : html`<span></span>`}
          </li>
        `,
      )}
      ${wagon.receivers.length ? nothing : html`<li class="quiet">Strengths are not reported.</li>`}
      <li>
        <span>Arm switch</span>
        <span data-switch>${armSwitch(wagon)}</span>
        ${wagon.must_cycle ? html`<span class="chip warn">Cycle it</span>` : html`<span></span>`}
      </li>
    </ul>
  </section>
`;

/** Nothing is known of it while the board does not report. @param {Wagon} wagon */
const armSwitch = (wagon) =>
  wagon.mode ? (wagon.arm_switch ? "at ARM" : "at DISARM") : "not known";

/** @param {Wagon} wagon */
export function bus({ bus: found = null }) {
  const isWell = found?.state === "active";
  return html`
    <section class="card base-bus" aria-labelledby="bus-title">
      <header>
        <h2 id="bus-title">CAN bus</h2>
        <span class="chip ${found ? (isWell ? "good" : "bad") : "idle"}" data-bus>
          ${found?.state ?? "not open"}
        </span>
      </header>
      <span class="track"><i ${bar(found?.load ?? 0, 0, 1)}></i></span>
      <dl class="base-facts">
        <div>
          <dt>Load</dt>
          <dd data-load>
            ${typeof found?.load === "number" ? `${fixed(found.load * 100, 0)} %` : "–"}
          </dd>
        </div>
        <div><dt>Errors</dt><dd>${found?.errors ?? "–"}</dd></div>
        <div><dt>Lost frames</dt><dd>${found?.lost ?? "–"}</dd></div>
        <div><dt>Bus-offs</dt><dd>${found?.bus_offs ?? "–"}</dd></div>
        <div><dt>Foreign frames</dt><dd>${found?.foreign ?? "–"}</dd></div>
        <div><dt>Damaged frames</dt><dd>${found?.damaged ?? "–"}</dd></div>
      </dl>
    </section>
  `;
}
