// The cards of the input sources with their live values.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed, words } from "../../lib/format.js";
import { STALE_MS } from "../../lib/store.js";
import { isPhone } from "../../parts/fold.js";
import { gauges } from "../../parts/gauges.js";
import { facePort } from "./face-port.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "store">} App */
/** @typedef {import("../../lib/types.js").InputsState} InputsState */
/** @typedef {import("../../lib/types.js").RcState} RcState */
/** @typedef {import("../../lib/types.js").NamedSource} NamedSource */

// Shown first; the other values are folded.
const MAIN = [
  "headYaw",
  "headPitch",
  "headRoll",
  "jawOpen",
  "eyeBlinkLeft",
  "eyeBlinkRight",
  "browInnerUp",
  "mouthSmileLeft",
];
const most = () => (isPhone() ? 4 : 8); // the first are the sticks; the others are folded
const SIGNED = /^(head|leftEye|rightEye)(Yaw|Pitch|Roll)$/;

/** @param {App} app */
export function inputs(app) {
  const data = app.store.data.inputs;
  const programs = data?.autonomous ?? [];
  return html`
    <section aria-labelledby="inputs-title">
      <div class="section-head">
        <h2 id="inputs-title">Inputs</h2>
        <span class="quiet" data-connected>${data ? connected(data) : ""}</span>
      </div>
      ${data ? receiver(app, data.rc) : html`<div class="card input skeleton"></div>`}
      ${
        data?.livelink.length
          ? data.livelink.map((s) => source(app, "livelink", "LiveLink", s, MAIN))
          : data
            ? noFace(app)
            : nothing
      }
      ${programs.map((s) => source(app, "autonomous", "Program", s, []))}
      ${(data?.websocket ?? []).map((s) => source(app, "websocket", "Client", s, []))}
    </section>
  `;
}

/** Count the clients and the autonomous programs. @param {InputsState} data */
function connected({ clients, autonomous }) {
  const counts = [`${clients.length} ${clients.length === 1 ? "client" : "clients"}`];
  const running = autonomous.filter((each) => each.alive).length;
  counts.push(running ? `${running} autonomous` : "nothing autonomous");
  return counts.join(" · ");
}

/** @param {App} app @param {RcState | null} rc */
function receiver(app, rc) {
  if (!rc) return noReceiver;
  const age = app.store.sourceAge("rc", app.now);
  const isStale = age > STALE_MS;
  const [kind, label] = rc.failsafe
    ? ["bad", "Failsafe"]
    : isStale || rc.connected === false
      ? ["bad", "Timed out"]
      : ["good", "Live"];
  const channels = Object.entries(rc.values ?? {});
  return html`
    <article class="card input" data-source="rc" ?data-stale=${isStale}>
      <header>
        <h3>RC receiver <span class="quiet">${(rc.protocol ?? "").toUpperCase()}</span></h3>
        <span class="chip ${kind}"><i class="dot"></i>${label}</span>
      </header>
      <p class="facts">
        ${
          isStale
            ? `No frames for ${silence(age)}`
            : html`<b>${fixed(rc.frame_rate_hz ?? rc.rate_hz, 0)}</b> frames/s`
        }
        ${rc.rssi && !isStale ? html` · <b>${fixed(rc.rssi, 0)}</b> dBm` : nothing} ·
        ${channels.length} channels
      </p>
      ${gauges(() => channels.slice(0, most()).map(channel), "values channels")}
      ${more("channels", channels.slice(most()).map(channel), "values channels")}
    </article>
  `;
}

/**
 * @param {App} app
 * @param {string} kind
 * @param {string} title
 * @param {NamedSource} data
 * @param {string[]} main
 */
function source(app, kind, title, data, main) {
  const age = app.store.sourceAge(`${kind}:${data.subject}`, app.now);
  const isStale = age > STALE_MS;
  const [tone, label] = isStale
    ? ["bad", "Timed out"]
    : data.failsafe
      ? ["warn", kind === "livelink" ? "No face" : "Signal lost"]
      : ["good", "Live"];
  const all = Object.keys(data.values);
  const first = main.filter((name) => name in data.values);
  const shown = (first.length ? first : all).slice(0, most());
  const rest = all.filter((name) => !shown.includes(name));
  return html`
    <article class="card input" data-source=${`${kind}:${data.subject}`} ?data-stale=${isStale}>
      <header>
        <h3>${data.subject} <span class="quiet">${title}</span></h3>
        <span class="chip ${tone}"><i class="dot"></i>${label}</span>
      </header>
      <p class="facts">
        ${
          isStale
            ? `No samples for ${silence(age)}`
            : html`<b>${fixed(data.rate_hz, 0)}</b> samples/s`
        }
        · ${all.length} values
      </p>
      ${gauges(() => shown.map((name) => gauge(name, data.values[name])), "values")}
      ${more(
        "values",
        rest.map((name) => gauge(name, data.values[name])),
        "values",
      )}
    </article>
  `;
}

/**
 * Fold what is looked at less often.
 * @param {string} what
 * @param {import("../../parts/gauges.js").Gauge[]} rest
 * @param {string} kind
 */
const more = (what, rest, kind) =>
  rest.length
    ? html`<details>
      <summary>${rest.length} more ${what}</summary>
      ${gauges(() => rest, kind)}
    </details>`
    : nothing;

/** @param {number} age */
const silence = (age) =>
  age === Infinity ? "a while" : `${fixed(age / 1000, age < 10000 ? 1 : 0)} s`;

/** @param {string} key @param {number | null} value */
function gauge(key, value) {
  const low = SIGNED.test(key) || (value ?? 0) < 0 ? -1 : 0;
  return { key, name: words(key), value, low, high: 1 };
}

/** @param {[string, number | null]} entry */
const channel = ([key, value]) => ({
  key,
  name: words(key),
  value,
  low: -1,
  high: 1,
});

const noReceiver = html`
  <article class="card input is-empty">
    <header>
      <h3>RC receiver</h3>
      <span class="chip idle"><i class="dot"></i>No data</span>
    </header>
    <p class="quiet">
      No frames from a receiver. Check its wiring, and on Inputs whether it is switched on and which
      protocol is set.
    </p>
  </article>
`;

/** @param {App} app */
function noFace(app) {
  const port = facePort.get(app);
  const at = port ? ` with port ${port}` : "";
  return html`
  <article class="card input is-empty">
    <header>
      <h3>LiveLink</h3>
      <span class="chip idle"><i class="dot"></i>No data</span>
    </header>
    <p class="quiet">
      ${
        port === ""
          ? "Live Link Face is switched off in Settings."
          : `In Live Link Face, add this server's address as a target${at}.`
      }
    </p>
  </article>
`;
}
