// How a role fits on a node: what the server found of all that the role needs.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { words } from "../../lib/format.js";

/** @typedef {import("../../lib/types.js").HardwareFinding} Finding */
/** @typedef {import("../../lib/types.js").RoleFit} Fit */

const VERDICTS = {
  found: ["good", "Found"],
  missing: ["bad", "Missing"],
  taken: ["bad", "Taken"],
  unknown: ["idle", "Cannot tell"],
};

/** @param {Finding} finding */
const isAmiss = ({ verdict }) => verdict === "missing" || verdict === "taken";

/** Nothing that the role cannot do without is missing, or another role's. @param {Fit} fit */
export const isReady = (fit) =>
  !fit.conflict && !fit.findings.some((each) => each.required && isAmiss(each));

/** @param {Fit | null} fit @param {string} problem why the node could not be asked */
export function fitChip(fit, problem) {
  if (!fit) return html`<span class="chip idle">${problem ? "Not known" : "Looking…"}</span>`;
  if (fit.conflict)
    return html`<span class="chip bad" data-fit="bad"><i class="dot"></i>In the way</span>`;
  const amiss = fit.findings.filter(isAmiss).length;
  if (!amiss)
    return html`<span class="chip good" data-fit="ready"><i class="dot"></i>All found</span>`;
  const kind = isReady(fit) ? "warn" : "bad";
  return html`<span class="chip ${kind}" data-fit=${kind}>
    <i class="dot"></i>${amiss} missing</span>`;
}

/** @param {Fit | null} fit */
export function findings(fit) {
  if (!fit) return html`<p class="quiet" role="status">The node is being asked what it has.</p>`;
  if (!fit.findings.length)
    return html`<p class="quiet">This role needs no pins and no devices.</p>`;
  return html`
    <div data-findings>
      <h3>What the role needs</h3>
      ${
        isReady(fit)
          ? nothing
          : html`<p class="notice">
            <strong>The role would not start on this node.</strong>
            ${
              fit.conflict
                ? `${fit.conflict}.`
                : "Plug in what is missing; this page looks again every 2 seconds."
            }
          </p>`
      }
      <ul class="fit-list">${[...fit.findings].sort(worstFirst).map(row)}</ul>
    </div>
  `;
}

/** @param {Finding} a @param {Finding} b */
const worstFirst = (a, b) => Number(isAmiss(b)) - Number(isAmiss(a));

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
