// The scan: the server listens for some seconds and says which nodes reported. Nodes appear without
// it too; it answers "is this one received?".

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/** @typedef {import("../../lib/types.js").ScanReport} ScanReport */

const scan = { isBusy: false, refusal: "", found: /** @type {ScanReport | null} */ (null) };

/** @param {App} app */
export const scanButton = (app) => html`
  <button
    class="button small"
    type="button"
    data-scan
    ?disabled=${scan.isBusy || app.api.state !== "open"}
    @click=${() => run(app)}
  >
    ${scan.isBusy ? "Scanning…" : "Scan for nodes"}
  </button>
`;

export function scanResult() {
  if (scan.refusal) return html`<p class="refusal" role="alert">${scan.refusal}</p>`;
  return scan.found
    ? html`<p class="quiet node-scan" role="status" data-scanned>${inWords(scan.found)}</p>`
    : nothing;
}

/** @param {ScanReport} found */
function inWords({ nodes, silent, listened_s, new: fresh }) {
  const many = nodes.length === 1 ? "1 node reports" : `${nodes.length} nodes report`;
  const added = fresh.length ? `New: ${fresh.join(", ")}.` : "No new node.";
  const quiet = silent.length ? `Silent for ${listened_s} s: ${silent.join(", ")}.` : "";
  return `${many}. ${added} ${quiet}`;
}

/** @param {App} app */
async function run(app) {
  Object.assign(scan, { isBusy: true, refusal: "", found: null });
  app.draw();
  try {
    scan.found = await app.api.request("management", "scan_nodes");
  } catch (err) {
    scan.refusal = sentenceOf(err);
  }
  scan.isBusy = false;
  app.draw();
}
