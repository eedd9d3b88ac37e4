// The wiring sheet: every part of each node with its wires, one page a node, to print.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { targetName, words } from "../../lib/format.js";
import { nodeTitle } from "../../lib/robot/nodes.js";
import { kindOf } from "../../lib/robot/parts.js";
import { wiresOf } from "../../lib/robot/wiring.js";
import { framed } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"store">} App */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

/** @param {App} app */
export function wiringView(app) {
  const actions = html`
    <button class="button" type="button" data-print @click=${() => print()}>Print</button>
  `;
  const { parts, catalog } = state;
  if (!parts || !catalog) return framed("/parts/wiring", actions, nothing);
  const wired = parts.filter((part) => wiresOf(catalog, part).length);
  const ids = [...new Set(wired.map((part) => part.node_id))].sort(
    (a, b) => Number(!a) - Number(!b),
  );
  return framed(
    "/parts/wiring",
    actions,
    html`
      <p class="quiet parts-summary">
        Colours by convention: signal orange (white or yellow on some servos), supply red, ground
        black (brown on servos); SDA blue, SCL yellow. Switch the power off before wiring.
      </p>
      ${ids.map((id) =>
        sheet(
          app,
          id,
          wired.filter((part) => part.node_id === id),
        ),
      )}
    `,
  );
}

/** @param {App} app @param {string} id @param {RobotPart[]} parts */
function sheet(app, id, parts) {
  const node = app.store.data.nodes?.nodes.find((each) => each.node_id === id);
  const targets = [...new Set(parts.map((part) => part.target))];
  const title = id ? (node ? `${nodeTitle(node)} · ${id}` : id) : "No node yet";
  return html`
    <section class="card wiring-sheet" data-sheet=${id || "none"}>
      <h2>${title}</h2>
      <table class="table wiring">
        <thead>
          <tr><th>Part</th><th>Kind</th><th>Signal</th><th>Supply</th><th>Ground</th></tr>
        </thead>
        ${targets.map(
          (target) => html`<tbody>
            ${
              targets.length > 1 || !id
                ? html`<tr><th class="wiring-role" colspan="5">${targetName(target)}</th></tr>`
                : nothing
            }
            ${parts.filter((part) => part.target === target).map(row)}
          </tbody>`,
        )}
      </table>
      <p class="wiring-foot">
        ${state.document?.name} · version ${state.version} · connect all grounds together
      </p>
    </section>
  `;
}

/** @param {RobotPart} part */
function row(part) {
  const catalog = /** @type {import("../../lib/types.js").RobotCatalog} */ (state.catalog);
  const wires = wiresOf(catalog, part);
  /** @param {import("../../lib/robot/wiring.js").Wire["kind"]} kind */
  const ofKind = (kind) => wires.filter((wire) => wire.kind === kind);
  return html`<tr data-wires=${`${part.target}.${part.name}`}>
    <th scope="row">${words(part.name)}</th>
    <td>${kindOf(catalog, part)?.title ?? part.kind}</td>
    <td data-label="Signal">
      ${ofKind("signal").map(
        ({ what, to, colour }) => html`<span class="wire">
          ${what === "Signal" ? "" : `${what}: `}${to}, ${colour}
        </span>`,
      )}
    </td>
    <td data-label="Supply">${ofKind("supply").map(wireText)}</td>
    <td data-label="Ground">${ofKind("ground").map(wireText)}</td>
  </tr>`;
}

/** @param {import("../../lib/robot/wiring.js").Wire} wire */
const wireText = ({ to, colour }) => `${to}, ${colour}`;
