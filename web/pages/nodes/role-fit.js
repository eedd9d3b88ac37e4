// The fit of a role on a node: which of its pins and devices the server found.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { words } from "../../lib/format.js";

/** @typedef {import("../../lib/types.js").HardwareFinding} Finding */
/** @typedef {import("../../lib/types.js").RoleFit} Fit */

const VERDICTS = {
  found: ["good", "Found"],
  missing: ["bad", "Missing"],
  taken: ["bad", "In use"],
  unknown: ["idle", "Unknown"],
};

/** @param {Finding} finding */
const isMissing = ({ verdict }) => verdict === "missing" || verdict === "taken";

/** Whether everything that the role requires is present and free. @param {Fit} fit */
export const isReady = (fit) =>
  !fit.conflict && !fit.findings.some((each) => each.required && isMissing(each));

/** @param {Fit | null} fit @param {string} problem why the node did not reply */
export function fitChip(fit, problem) {
  if (!fit) return html`<span class="chip idle">${problem ? "Unknown" : "Checking…"}</span>`;
  if (fit.conflict)
    return html`<span class="chip bad" data-fit="bad"><i class="dot"></i>Conflict</span>`;
  const missing = fit.findings.filter(isMissing).length;
  if (!missing)
    return html`<span class="chip good" data-fit="ready"><i class="dot"></i>All found</span>`;
  const kind = isReady(fit) ? "warn" : "bad";
  return html`<span class="chip ${kind}" data-fit=${kind}>
    <i class="dot"></i>${missing} missing</span>`;
}

/** @param {Fit | null} fit */
export function findings(fit) {
  if (!fit) return html`<p class="quiet" role="status">Checking the node's hardware…</p>`;
  if (!fit.findings.length)
    return html`<p class="quiet">This role needs no pins and no devices.</p>`;
  return html`
    <div data-findings>
      <h3>Required by the role</h3>
      ${
        isReady(fit)
          ? nothing
          : html`<p class="notice">
            <strong>The role would not start on this node.</strong>
            ${
              fit.conflict
                ? `${fit.conflict}.`
                : `Connect the missing parts, or change the robot on the page Parts if yours is
                  wired differently. This page checks again every 2 s.`
            }
          </p>`
      }
      <ul class="fit-list">${[...fit.findings].sort(worstFirst).map(row)}</ul>
    </div>
  `;
}

/** @param {Finding} a @param {Finding} b */
const worstFirst = (a, b) => Number(isMissing(b)) - Number(isMissing(a));

/** @param {Finding} finding */
function row({ name, what, verdict, required, text }) {
  const [kind, word] = VERDICTS[verdict] ?? VERDICTS.unknown;
  const shown = kind === "bad" && !required ? "warn" : kind;
  return html`
    <li data-finding=${name}>
      <span class="chip ${shown}"><i class="dot"></i>${word}</span>
      <span><b>${words(name)}</b> <span class="quiet">${what}</span></span>
      <small class="quiet">${text}</small>
    </li>
  `;
}
