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
  const title = id ? (node ? `${nodeTitle(node)} · ${id}` : id) : "No node yet";
  return html`
    <section class="card wiring-sheet" data-sheet=${id || "none"}>
      <h2>${title}</h2>
      <table class="table wiring">
        <thead>
          <tr><th>Part</th><th>Kind</th><th>Wire</th><th>Connect to</th><th>Colour</th></tr>
        </thead>
        ${parts.map(rows)}
      </table>
      <p class="wiring-foot">
        ${state.document?.name} · version ${state.version} · connect all grounds together
      </p>
    </section>
  `;
}

/** @param {RobotPart} part */
function rows(part) {
  const catalog = /** @type {import("../../lib/types.js").RobotCatalog} */ (state.catalog);
  const wires = wiresOf(catalog, part);
  return html`<tbody data-wires=${`${part.target}.${part.name}`}>
    ${wires.map(
      ({ what, to, colour }, index) => html`<tr>
        ${
          index
            ? nothing
            : html`<th rowspan=${wires.length} scope="rowgroup">
                ${words(part.name)}<small>${targetName(part.target)}</small>
              </th>
              <td rowspan=${wires.length}>${kindOf(catalog, part)?.title ?? part.kind}</td>`
        }
        <td>${what}</td><td>${to}</td><td>${colour}</td>
      </tr>`,
    )}
  </tbody>`;
}
