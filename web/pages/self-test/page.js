// The page "Self-test" (/self-test/<node>): what a node found of its board, header, network and
// card, with what to do, and the report file.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../lib/events.js";
import { dayAndClock } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { inOrder, nodeTitle } from "../../lib/robot/nodes.js";
import { saveText } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { selfTest } from "./state.js";

/** @typedef {import("../../context.js").App} App */
/** @typedef {import("./state.js").Report} Report */
/** @typedef {Report["checks"][number]} Check */

/** @type {Record<Check["state"], [string, string]>} */
const STATES = {
  passed: ["good", "Pass"],
  failed: ["bad", "Fail"],
  not_connected: ["idle", "Not connected"],
  skipped: ["idle", "Skipped"],
};
const FILE = "saint-selftest.txt";

/** @param {App} app @param {string} rest */
function view(app, rest) {
  const nodes = inOrder(app.store.data.nodes?.nodes ?? []).filter(
    (node) => node.state !== "offline",
  );
  const id = rest || nodes[0]?.node_id || "";
  selfTest.show(app, id);
  return html`
    <div class="page-head">
      <div>
        <h1>Self-test</h1>
        <p class="quiet">
          Tests a node's board, header, network, camera, sound and card. Nothing moves; 16 MB are
          written.
        </p>
      </div>
      ${id ? toolbar(app, nodes, id) : nothing}
    </div>
    ${
      selfTest.problem
        ? html`
          <p class="notice" role="alert"><strong>No report:</strong>
            ${selfTest.problem}</p>
        `
        : nothing
    }
    ${id ? content(app) : html`<p class="card empty">No node is online.</p>`}
  `;
}

/** @param {App} app @param {import("../../lib/types.js").NodeInfo[]} nodes @param {string} id */
function toolbar(app, nodes, id) {
  const { report, isRunning } = selfTest;
  const open = withValue((node) => app.router.go(`/self-test/${encodeURIComponent(node)}`));
  return html`
    <div class="toolbar">
      <label>
        <span class="hidden">Node</span>
        <select data-node ?disabled=${isRunning} @change=${open}>
          ${nodes.map(
            (node) => html`<option value=${node.node_id} ?selected=${node.node_id === id}>
              ${nodeTitle(node)}
            </option>`,
          )}
        </select>
      </label>
      <button
        class="button primary"
        type="button"
        data-run
        ?disabled=${isRunning || !isAdmin(app)}
        @click=${() => selfTest.run(app)}
      >
        ${isRunning ? "Testing…" : report?.began ? "Test again" : "Start self-test"}
      </button>
      <button
        class="button"
        type="button"
        data-save
        ?disabled=${!report?.began}
        @click=${() => saveText(FILE, report?.document ?? "")}
      >
        Download report
      </button>
    </div>
  `;
}

/** @param {App} app */
function content(app) {
  const { report, isRunning, problem } = selfTest;
  if (isRunning)
    return html`<p class="card empty" role="status">Testing… this takes about 10 seconds.</p>`;
  if (!report) return problem ? nothing : html`<p class="quiet" role="status">Loading…</p>`;
  if (!report.began)
    return html`<p class="card empty">
      Not tested since this node started.${isAdmin(app) ? "" : " Testing needs the admin role."}
    </p>`;
  return html`
    <section class="card selftest" aria-labelledby="selftest-title">
      <header>
        <h2 id="selftest-title">${report.machine || "Unknown machine"}</h2>
        <p class="quiet">
          ${dayAndClock(Date.parse(report.began) / 1000)}, release ${report.release || "unknown"}
        </p>
      </header>
      <p class="selftest-counts">${counts(report.checks)}</p>
      <table>
        <thead class="hidden">
          <tr><th>Result</th><th>Check</th><th>What was found, and what to do</th></tr>
        </thead>
        <tbody>${report.checks.map((check) => row(app, report, check))}</tbody>
      </table>
      <p class="quiet">The report names no machine: no serial number, address or network.</p>
    </section>
  `;
}

/** @param {Check[]} checks */
function counts(checks) {
  return Object.entries(STATES).map(([state, [kind, word]]) => {
    const count = checks.filter((check) => check.state === state).length;
    return html`<span class="chip ${count ? kind : ""}">${count} ${word.toLowerCase()}</span>`;
  });
}

/** @param {App} app @param {Report} report @param {Check} check */
function row(app, report, check) {
  const [kind, word] = STATES[check.state];
  const jumper = report.jumpers.find((each) => `${each.name}_jumper` === check.name);
  return html`
    <tr data-check=${check.name} data-state=${check.state}>
      <td><span class="chip ${kind}"><i class="dot"></i>${word}</span></td>
      <th scope="row">${check.title}</th>
      <td>
        <p>${check.text}</p>
        ${check.fix ? html`<p class="quiet">${check.fix}</p>` : nothing}
        ${jumper ? wireButton(app, jumper, check) : nothing}
      </td>
    </tr>
  `;
}

/** @param {App} app @param {Report["jumpers"][number]} jumper @param {Check} check */
function wireButton(app, jumper, check) {
  const { name, pins, wire } = jumper;
  const ask = () =>
    askConfirmation(app, {
      title: `Test pins ${pins[0]} and ${pins[1]} with a wire?`,
      text: html`Take everything off these pins, then connect ${wire} with a wire or a jumper. Bytes
        or pulses are sent to them: a motor or servo that is still connected could move.`,
      verb: "Only the wire is connected: test",
      doing: "Testing…",
      isDanger: true,
      work: () => selfTest.request(app, name),
    });
  return html`
    <button
      class="button small"
      type="button"
      data-wire=${name}
      ?disabled=${!isAdmin(app)}
      @click=${ask}
    >
      ${check.state === "skipped" ? "Test with a wire…" : "Test again…"}
    </button>
  `;
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { nodes: 0 },
  view,
  linked: (app) => void selfTest.load(app),
  close: () => selfTest.close(),
};
