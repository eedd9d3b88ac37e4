// The page "Logs": lines of all programs (/logs), the activity log (/logs/activity) and the audit
// log (/logs/audit, for admins).

import { html } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { tabs } from "../../parts/tabs.js";
import { RecordPages, recordList } from "./records.js";
import { LogTail } from "./tail.js";
import { logTools, programLines } from "./view.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").AuditEntry} AuditEntry */

const tail = new LogTail();

const LISTS = {
  activity: new RecordPages(async (app, offset, limit) => {
    const { entries } = await app.api.request("management", "get_activity_log", {
      offset,
      limit,
      level: "DEBUG",
    });
    return entries;
  }, "Events of the robot appear here: nodes, stops and changes."),
  audit: new RecordPages(async (app, offset, limit) => {
    const { entries } = await app.api.request("system", "get_audit_log", { offset, limit });
    return entries.map(auditRecord);
  }, "Sign-ins, control, stops and changes appear here with their user."),
};

/** @param {AuditEntry} entry */
function auditRecord(entry) {
  const { time_s, who, what, detail, address, refused } = entry;
  const text = [what, detail, address && `(${address})`, refused && `refused: ${refused}`]
    .filter(Boolean)
    .join(" ");
  return { time: time_s, level: refused ? "WARNING" : "INFO", source: who, text };
}

/** @param {string} rest */
const listOf = (rest) => LISTS[/** @type {"activity"} */ (rest)] ?? null;

/** @param {App} app @param {string} rest */
function view(app, rest) {
  const list = listOf(rest);
  const parts = [
    { href: "/logs", title: "Programs" },
    { href: "/logs/activity", title: "Activity" },
    ...(isAdmin(app) ? [{ href: "/logs/audit", title: "Audit" }] : []),
  ];
  return html`
    <div class="page-head">
      <h1>Logs</h1>
      <div class="toolbar">
        ${
          list
            ? html`<button
              class="button"
              type="button"
              ?disabled=${list.isLoading}
              @click=${() => list.load(app)}
            >
              Refresh
            </button>`
            : logTools(app, tail)
        }
      </div>
    </div>
    ${tabs("Logs", parts, rest && list ? `/logs/${rest}` : "/logs")}
    ${list ? recordList(app, list) : programLines(app, tail)}
  `;
}

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: {},
  view,
  open(app, rest) {
    const list = listOf(rest);
    if (list) {
      tail.stop();
      list.load(app);
    } else tail.start(app);
  },
  linked(app, rest) {
    const list = listOf(rest);
    if (list?.failure) list.load(app);
  },
  close: () => tail.stop(),
};
