// The section of the firmware: running releases, and the check for a newer release on the server.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { dayAndClock } from "../../lib/format.js";
import { facts, section } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").FirmwareCheck} FirmwareCheck */

const check = { found: /** @type {FirmwareCheck | null} */ (null), isBusy: false, refusal: "" };

/** @param {App} app */
export function firmwareSection(app) {
  const firmware = app.store.data.firmware;
  const server = firmware?.machines?.find((each) => each.is_server);
  const versions = firmware?.versions ?? [];
  const newest = firmware?.releases?.[0];
  return section(
    "firmware",
    "Firmware",
    "",
    html`
      ${facts([
        ["Server", server?.version || app.store.data.system?.version || "–"],
        [
          "All machines",
          versions.length > 1 ? `different releases: ${versions.join(", ")}` : (versions[0] ?? "–"),
        ],
        ["Newest uploaded release", newest ? newest.version : "none"],
        [
          "Last update",
          firmware?.updated_s ? dayAndClock(firmware.updated_s) : "none rolled out yet",
        ],
        [
          "Last checked",
          check.found ? dayAndClock(Date.parse(check.found.checked) / 1000) : "not in this session",
        ],
      ])}
      <div role="status">${outcome()}</div>
      <div class="toolbar">
        <button
          class="button"
          type="button"
          data-check
          ?disabled=${check.isBusy}
          @click=${() => checkNow(app)}
        >
          ${check.isBusy ? "Checking…" : "Check for updates"}
        </button>
        <a class="button" href="/firmware">Open firmware</a>
      </div>
    `,
  );
}

function outcome() {
  if (check.refusal) return html`<p class="refusal" data-checked="refused">${check.refusal}</p>`;
  const { found } = check;
  if (!found) return nothing;
  const isBehind = found.behind.length > 0;
  return html`
    <p class="notice is-quiet" data-checked=${isBehind ? "behind" : "same"}>
      <span class="chip ${isBehind ? "warn" : "good"}"><i class="dot"></i>${
        isBehind ? "Update available" : "Up to date"
      }</span>
      ${found.message}
    </p>
  `;
}

/** @param {App} app */
async function checkNow(app) {
  Object.assign(check, { isBusy: true, refusal: "" });
  app.draw();
  try {
    check.found = await app.api.request("management", "firmware_check");
  } catch (err) {
    check.refusal = sentenceOf(err);
  }
  check.isBusy = false;
  app.draw();
}
