// The LiveLink listeners: address and port for capture apps, to copy or as a QR code.

import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { encode } from "/vendor/uqr/dist/index.mjs";
import { dialog } from "../../../parts/dialog.js";
import { polls } from "../polls.js";

/** @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").FormatInfo} Listener */
/** @typedef {Listener & {port: string, isPage: boolean}} OpenCode */

/** @type {Record<string, string>} */
const SENDERS = {
  llf: "Live Link Face (iPhone), ARKit mode",
  json: "JSONLiveLink (Unreal)",
  vmc: "VMC: VSeeFace, Warudo, XR Animator",
  ifacialmocap: "iFacialMocap (iPhone), MeowFace (Android)",
  lines: "Scripts: one JSON object per line",
  capture: "Live Link Face, phone as server",
};
const QUIET_ZONE = 4; // white modules that readers need around a QR code

/** @param {App} app */
export function listeners(app) {
  const { data, problem } = polls.formats;
  return html`
    <section aria-labelledby="listeners-title">
      <div class="section-head"><h2 id="listeners-title">Listeners</h2></div>
      <div class="card">
        ${data ? nothing : html`<p class="quiet">${problem ? problem.message : "Loading…"}</p>`}
        <ul class="listeners">
          ${(data?.formats ?? []).map((each) => listener(app, each))}
        </ul>
        ${data ? html`<p class="quiet">Turn formats on or off in Settings.</p>` : nothing}
      </div>
    </section>
  `;
}

/** @param {App} app @param {Listener} each */
function listener(app, each) {
  const ports = each.enabled ? each.addresses.map(portOf).filter(Boolean) : [];
  const show = () => ((app.dialogs.code = { ...each, port: ports[0], isPage: false }), app.draw());
  return html`
    <li data-format=${each.format}>
      <span><b>${SENDERS[each.format]}</b>
        <small class="quiet">${
          each.enabled
            ? each.addresses.map((text) => text.replace("0.0.0.0", reached(app).host)).join(", ") ||
              "on"
            : "off"
        }</small></span>
      ${
        ports.length
          ? html`
            <button
              class="button small"
              type="button"
              data-code
              aria-label=${`Show the address for ${each.format}`}
              @click=${show}
            >
              Show
            </button>
          `
          : html`<span class="chip idle"><i class="dot"></i>Off</span>`
      }
    </li>
  `;
}

/** Return the port of "udp 0.0.0.0:11111". @param {string} address */
const portOf = (address) => /:(\d+)$/.exec(address)?.[1] ?? "";

/** Return the address at which a phone reaches this robot. @param {App} app */
export function reached(app) {
  const typed = location.hostname;
  const reported = app.api.session.server_address ?? "";
  const isNumber = /^\d+(\.\d+){3}$/.test(typed);
  const host = isNumber || !reported ? typed : reported;
  return { host, isLocal: host === "localhost" || host.startsWith("127.") || host === "::1" };
}

/** @param {App} app */
export function codeDialog(app) {
  const open = app.dialogs.code;
  const close = () => ((app.dialogs.code = null), app.draw());
  return dialog(open, close, (open) => code(app, open, close), "Address for the phone");
}

/** @param {App} app @param {OpenCode} open @param {() => void} close */
function code(app, open, close) {
  const { host, isLocal } = reached(app);
  const port = location.port ? `:${location.port}` : "";
  const text = open.isPage ? `${location.protocol}//${host}${port}/inputs/livelink` : host;
  const choose = (/** @type {boolean} */ isPage) => () => ((open.isPage = isPage), app.draw());
  return html`
    <h2>${SENDERS[open.format]}</h2>
    ${
      isLocal
        ? html`<p class="notice" role="status">
          This page is open on the robot itself and does not know the address for a phone. Open it
          at the robot's address in your Wi-Fi.</p>`
        : nothing
    }
    <dl class="facts-list target">
      <dt>Address</dt><dd data-address>${host} ${copyButton(app, host, "address")}</dd>
      <dt>Port</dt><dd data-port>${open.port} ${copyButton(app, open.port, "port")}</dd>
    </dl>
    <div class="segments" role="group" aria-label="Content of the QR code">
      <label>
        <input type="radio" name="code" .checked=${!open.isPage} @change=${choose(false)}>
        <span>Address</span>
      </label>
      <label>
        <input type="radio" name="code" .checked=${open.isPage} @change=${choose(true)}>
        <span>This page</span>
      </label>
    </div>
    ${picture(text)}
    <div class="actions">
      <button class="button primary" type="button" data-focus @click=${close}>Close</button>
    </div>
  `;
}

/** @param {App} app @param {string} text @param {string} what */
function copyButton(app, text, what) {
  if (!navigator.clipboard) return nothing; // only in a secure context
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => app.toasts.done(`Copied the ${what}.`),
      () => {},
    );
  return html`
    <button class="button small" type="button" aria-label=${`Copy the ${what}`} @click=${copy}>
      Copy
    </button>
  `;
}

/** Draw a QR code as one path. @param {string} text */
export function picture(text) {
  const { data, size } = encode(text, { border: 0 });
  const squares = data.flatMap((/** @type {boolean[]} */ row, /** @type {number} */ y) =>
    row.map((is, x) => (is ? `M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z` : "")),
  );
  const side = size + 2 * QUIET_ZONE;
  return html`<svg
    class="qr"
    viewBox="0 0 ${side} ${side}"
    role="img"
    aria-label=${`QR code: ${text}`}
    data-says=${text}
  >
    ${svg`
      <rect width=${side} height=${side} class="qr-paper"/>
      <path d=${squares.join("")} class="qr-ink"/>
    `}
  </svg>`;
}
