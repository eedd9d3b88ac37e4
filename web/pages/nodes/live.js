// The cards of a node's roles: the last command, and the measured state of joints, motors, display.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import {
  age,
  fixed,
  lately,
  MODES,
  quantity,
  roleName,
  sourceName,
  words,
} from "../../lib/format.js";
import { axisOf } from "../../lib/robot/joints.js";
import { isReporting, targetOf } from "../../lib/robot/nodes.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"now" | "robot" | "store">} App */
/** @typedef {import("../../lib/types.js").FieldDescription} FieldDescription */
/** @typedef {import("../../lib/types.js").HeadState} HeadState */
/** @typedef {import("../../lib/types.js").OneArm} OneArm */
/** @typedef {import("../../lib/types.js").TracksState} TracksState */
/** @typedef {import("../../lib/types.js").LegsState} LegsState */
/** @typedef {import("../../lib/types.js").ConsoleState} ConsoleState */
/** @typedef {Pick<FieldDescription, "unit" | "limits" | "neutral"> & {kind?: string}} Range */
/** @typedef {{role: string, instance: string}} Held */

/** @param {App} app @param {Held} held */
export function liveCard(app, held) {
  const { role, instance } = held;
  const content = stateOf(app, held);
  const isStale = role !== "console" && !isReporting(app, targetOf(held), app.now);
  return html`
    <section
      class="card"
      aria-label=${roleName(role, instance)}
      data-live=${targetOf(held)}
      ?data-stale=${isStale}
    >
      <header>
        <h2>${roleName(role, instance)}</h2>
        ${
          content && isStale
            ? html`<span class="chip bad"><i class="dot"></i>Timed out</span>`
            : nothing
        }
      </header>
      ${role === "console" ? nothing : lastCommand(app, targetOf(held))}
      ${content ?? html`<p class="quiet">No data from this role.</p>`}
    </section>
  `;
}

/**
 * Show the newest command that is in force for a target: its age and its source.
 * @param {App} app
 * @param {string} target
 */
function lastCommand(app, target) {
  if (!app.store.isFresh("outputs", app.now)) return nothing;
  const commands = (app.store.data.outputs?.fields ?? [])
    .filter((field) => field.target === target && field.winner && field.age_ms !== null)
    .sort((a, b) => (a.age_ms ?? 0) - (b.age_ms ?? 0));
  const [newest] = commands;
  return html`<p class="quiet" data-command>
    ${
      newest
        ? html`Last command <b>${age(newest.age_ms)}</b> ago: ${words(newest.field)} from
          <b>${sourceName(newest.source)}</b>`
        : "No command in force"
    }
  </p>`;
}

/** Return undefined while the role has sent nothing. @param {App} app @param {Held} held */
function stateOf(app, held) {
  const { head, arms, tracks, legs, console } = app.store.data;
  const arm = { left: arms?.left, right: arms?.right }[held.instance];
  switch (held.role) {
    case "head":
      return head && VIEWS.head(app, held, head);
    case "arms":
      return arm && VIEWS.arms(app, held, arm);
    case "tracks":
      return tracks && VIEWS.tracks(app, held, tracks);
    case "legs":
      return legs && VIEWS.legs(app, held, legs);
    case "parts":
      return partsOf(app, held) && VIEWS.parts(app, held);
    case "console":
      return console && VIEWS.console(console);
    default:
      return undefined;
  }
}

const VIEWS = {
  /** @param {App} app @param {Held} held @param {HeadState} data */
  head: (app, held, data) => [
    fields(app, held, (name) => axisOf(data, name)),
    html`<dl class="facts-list">
      ${fact("Camera", data.camera_active ? "on" : "off")}
      ${fact("Temperature", data.temperature == null ? "" : `${fixed(data.temperature, 1)} °C`)}
      ${fact("Distance", data.proximity == null ? "" : `${fixed(data.proximity, 2)} m`)}
    </dl>`,
  ],

  /** @param {App} app @param {Held} held @param {OneArm} data */
  arms: (app, held, data) => [
    data.error_state
      ? html`<p class="refusal">${data.error_message || "The arm reports a fault."}</p>`
      : nothing,
    fields(app, held, (name) =>
      name === "gripper"
        ? data.gripper?.position
        : data.joint_positions?.[Number(name.split("_")[1])],
    ),
    html`<dl class="facts-list">
      ${fact("Motion", data.in_motion ? "moving" : "at rest")}
      ${fact(
        "Gripper",
        data.gripper
          ? data.gripper.holding
            ? "holding"
            : data.gripper.moving
              ? "moving"
              : "at rest"
          : "",
      )}
    </dl>`,
  ],

  /** @param {App} app @param {Held} held @param {TracksState} data */
  tracks: (app, held, data) => [
    speeds(app, held, data),
    html`<dl class="facts-list">
      ${fact("Motors", data.motors_enabled ? "on" : "off")}
      ${fact(
        "Currents",
        data.left_current == null
          ? "not measured"
          : `${fixed(data.left_current, 1)} A, ${fixed(data.right_current, 1)} A`,
      )}
      ${fact(
        "Position",
        data.odom ? `x ${fixed(data.odom.x, 2)} m, y ${fixed(data.odom.y, 2)} m` : "",
      )}
    </dl>`,
  ],

  /** @param {App} app @param {Held} held @param {LegsState} data */
  legs: (app, held, data) => [
    data.reason ? html`<p class="refusal">${sentence(data.reason)}</p>` : nothing,
    fields(app, held, (name) =>
      name === "mode" ? MODES.indexOf(data.mode) : velocity(data, name),
    ),
    html`<dl class="facts-list">
      ${fact("Mode", words(data.mode))}
      ${fact("Controller", controller(data))}
      ${fact("Lean", data.reported ? `${lean(data.gravity)}°` : "")}
      ${fact("Battery", battery(data))}
      ${fact("Hottest joint", celsius(data.hottest_joint))}
      ${fact("Alerts", data.alerts.map(sentence).join(" "))}
    </dl>`,
  ],

  /** @param {App} app @param {Held} held */
  parts: (app, held) => fields(app, held, () => undefined),

  /** @param {ConsoleState} data */
  console: (data) => html`
    ${
      data.display?.lines?.length
        ? html`<pre class="panel">${data.display.lines.join("\n")}</pre>`
        : nothing
    }
    <dl class="facts-list">
      ${fact("Shows", data.display?.lines?.length ? "a program's page" : "status page")}
      ${fact(
        "Last input",
        data.input
          ? `${words(data.input.control)} ${data.input.event}, ${lately(data.input.time)}`
          : "none",
      )}
      ${fact(
        "Last action",
        data.override ? `${data.override.action}, ${lately(data.override.time)}` : "none",
      )}
    </dl>
  `,
};

/** @param {string} text */
const sentence = (text) => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** @param {LegsState} data @param {string} name */
const velocity = (data, name) => ({ vx: data.vx, vy: data.vy, vyaw: data.vyaw })[name];

/** @param {LegsState} data */
const controller = ({ reported, report_age_ms: ageMs }) =>
  reported ? `${reported}, reported ${age(ageMs ?? null)} ago` : "does not report";

/** @param {LegsState} data */
const battery = ({ battery_voltage: volts, battery_percent: percent }) =>
  volts == null ? "" : `${fixed(percent, 0)} %, ${fixed(volts, 1)} V`;

/** @param {number | null | undefined} value */
const celsius = (value) => (value == null ? "" : `${fixed(value, 0)} °C`);

/** Return the angle to upright in degrees. @param {(number | null)[]} gravity */
const lean = ([, , down]) =>
  Math.round((Math.acos(Math.min(1, Math.max(-1, -(down ?? -1)))) * 180) / Math.PI);

/** @param {string} name @param {string} text */
const fact = (name, text) => (text ? html`<dt>${name}</dt><dd>${text}</dd>` : nothing);

/**
 * List the fields of a role, parts by name, the others by `read`; then what its sensors measure.
 * @param {App} app @param {Held} held @param {(name: string) => number | null | undefined} read
 */
function fields(app, held, read) {
  const specs = Object.entries(app.robot?.targets?.[targetOf(held)] ?? {});
  const parts = partsOf(app, held);
  const sensors = Object.entries(parts?.sensors ?? {});
  return html`
    <ul class="joints">
      ${specs.map(([name, spec]) =>
        joint(words(name), parts?.outputs?.[name]?.value ?? read(name), spec),
      )}
    </ul>
    ${
      sensors.length
        ? html`<dl class="facts-list" data-sensors>
            ${sensors.map(([name, { value, unit }]) => fact(words(name), quantity(value, unit)))}
          </dl>`
        : nothing
    }
  `;
}

/** Return the parts of a role by name. @param {App} app @param {Held} held */
const partsOf = (app, held) => app.store.data.parts?.targets?.[targetOf(held)];

/**
 * List the track speeds, which share the robot's speed limit.
 * @param {App} app
 * @param {Held} held
 * @param {TracksState} data
 */
function speeds(app, held, data) {
  const most = app.robot?.targets?.[targetOf(held)]?.linear?.limits?.[1] ?? 1;
  const spec = { unit: "m/s", limits: [-most, most], neutral: 0 };
  return html`
    <ul class="joints">
      ${joint("Left track", data.left_velocity, spec)}
      ${joint("Right track", data.right_velocity, spec)}
    </ul>
  `;
}

/** @param {number | null | undefined} value @param {Range} spec */
const reading = (value, spec) =>
  spec.kind !== "switch" || value == null ? quantity(value, spec.unit) : value ? "on" : "off";

/** @param {string} name @param {number | null | undefined} value @param {Range} spec */
const joint = (name, value, spec) => html`
  <li>
    <span>${name}</span>
    <span class="track"><i ${bar(value, spec.limits[0], spec.limits[1], spec.neutral)}></i></span>
    <span class="number">${reading(value, spec)}</span>
  </li>
`;
