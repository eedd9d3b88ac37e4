// What the owner decides about updates, and the address that releases come from.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").UpdatePolicy} UpdatePolicy */
/** @typedef {import("../../lib/types.js").SourceStatus} SourceStatus */

/** State of this card's own request. */
const act = { isBusy: false, refusal: "" };

/** @param {App} app */
export function policy(app) {
  const found = app.store.data.firmware?.policy;
  if (!found) return nothing;
  return html`
    <section aria-labelledby="policy-title">
      <div class="section-head"><h2 id="policy-title">Update settings</h2></div>
      <div class="card policy">
        <dl class="facts-list">
          <dt>Machines update</dt><dd data-offers>${OFFERS[found.offers]}</dd>
          <dt>Roll-outs begin</dt><dd data-begins>${BEGINS[found.roll_out]}</dd>
          <dt>Maintenance window</dt>
          <dd data-window>
            ${found.window ? `${found.window.replace("-", " to ")} UTC` : "any time"}
          </dd>
          <dt>Releases by</dt>
          <dd data-by>upload${found.usb_stick ? " and USB stick" : ""}</dd>
          ${found.releases_from ? address(found) : nothing}
        </dl>
        ${found.releases_from ? source(app.store.data.firmware?.source) : nothing}
        <p class="refusal" role="alert">${act.refusal || nothing}</p>
        ${isAdmin(app) ? actions(app, found) : nothing}
      </div>
    </section>
  `;
}

/** @type {Record<UpdatePolicy["offers"], string>} */
const OFFERS = {
  automatic: "at boot or rest",
  ask: "by a user's roll-out",
};

/** @type {Record<UpdatePolicy["roll_out"], string>} */
const BEGINS = {
  by_user: "by a user",
  automatic: "without a user, one node first",
};

/** @param {UpdatePolicy} found */
const address = (found) => html`
  <dt>Releases from</dt>
  <dd data-address>
    ${found.releases_from} <span class="quiet">${every(found)}</span>
  </dd>
`;

/** @param {UpdatePolicy} found */
const every = (found) =>
  `every ${found.check_every_h === 1 ? "hour" : `${found.check_every_h} h`}${
    found.has_authority ? ", own authority" : ""
  }`;

/** @param {SourceStatus | undefined} found */
function source(found) {
  if (!found) return nothing;
  const isDownloading = found.state === "downloading";
  const percent = Math.floor((100 * found.received_bytes) / (found.size_bytes || 1));
  return html`
    <p class=${found.state === "failed" ? "refusal" : "quiet"} data-source=${found.state}>
      ${found.text}.
    </p>
    ${
      isDownloading
        ? html`<span
          class="track"
          role="progressbar"
          aria-label="Downloaded"
          aria-valuemin="0"
          aria-valuemax="100"
          aria-valuenow=${percent}
        >
          <i ${bar(percent, 0, 100)}></i>
        </span>`
        : nothing
    }
  `;
}

/** @param {App} app @param {UpdatePolicy} found */
const actions = (app, found) => html`
  <div class="actions">
    ${
      found.releases_from
        ? html`<button
          class="button"
          type="button"
          data-check
          ?disabled=${act.isBusy}
          @click=${() => check(app)}
        >
          Check now
        </button>`
        : nothing
    }
    <button class="button" type="button" data-policy @click=${() => change(app, found)}>
      Change settings…
    </button>
  </div>
`;

/** @param {App} app */
async function check(app) {
  Object.assign(act, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await app.api.request("management", "check_releases", {});
  } catch (err) {
    act.refusal = /** @type {Error} */ (err).message;
  }
  act.isBusy = false;
  app.draw();
}

/** @param {App} app @param {UpdatePolicy} found */
function change(app, found) {
  const [begin = "", end = ""] = found.window.split("-");
  app.dialogs.updatePolicy = {
    offers: found.offers,
    roll_out: found.roll_out,
    hasWindow: Boolean(found.window),
    begin: begin || "02:00",
    end: end || "05:00",
    usb_stick: found.usb_stick,
    releases_from: found.releases_from,
    check_every_h: found.check_every_h,
    hasAuthority: found.has_authority,
    isPublic: !found.has_authority,
    authority: "",
    isBusy: false,
    refusal: "",
  };
  app.draw();
}
