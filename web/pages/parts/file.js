// The robot as a file: edit its text, import, export. Each text is checked before it is applied.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { withField, withValue } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { downloadFile, saveText, uploadFile } from "../../lib/transfer.js";
import { errorLine } from "../../parts/dialog.js";
import { framed } from "./frame.js";
import { applyRow, Review, RobotChange, reviewView } from "./review.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */

const review = new Review();
const change = new RobotChange();
const draft = { text: "", base: -1, isTyped: false };

/** @param {App} app */
export function fileView(app) {
  const { document: robot } = state;
  if (robot && !draft.isTyped && draft.base !== robot.version)
    Object.assign(draft, { text: robot.text, base: robot.version });
  const actions = html`
    <label class="button parts-file">
      Import…
      <input
        class="hidden"
        type="file"
        accept=".yaml,.yml,.zip"
        ?disabled=${!isAdmin(app)}
        @change=${withField(({ files }) => load(app, files?.[0]))}
      >
    </label>
    <button class="button" type="button" data-export ?disabled=${!robot} @click=${() => save()}>
      Export
    </button>
  `;
  return framed("/parts/file", actions, robot ? editor(app) : nothing);
}

/** Save the robot, with its own figure as one file. */
function save() {
  const text = state.document?.text;
  if (!text) return;
  if (/^figure:/m.test(text)) void downloadFile("/api/robot/archive");
  else saveText("robot.yaml", text);
}

/** The text of a file; of a zip, after its figure was stored on the robot. @param {File} file */
async function textOf(file) {
  if (!/\.zip$/i.test(file.name)) return file.text();
  const opened = /** @type {import("../../lib/types.js").OpenedArchive} */ (
    await uploadFile("/api/robot/archive", file)
  );
  return opened.text;
}

/** @param {App} app @param {File | undefined} file */
async function load(app, file) {
  if (!file) return;
  try {
    type(app, await textOf(file));
  } catch (err) {
    change.refusal = sentenceOf(err);
    app.draw();
    return;
  }
  change.note ||= file.name.slice(0, 120);
  void check(app);
}

/** @param {App} app @param {string} text */
function type(app, text) {
  Object.assign(draft, { text, isTyped: text !== state.document?.text });
  change.refusal = "";
  review.close();
  app.draw();
}

/** @param {App} app */
const check = (app) => review.check(app, "file", async () => draft.text);

/** @param {App} app */
function editor(app) {
  const may = isAdmin(app);
  return html`
    <div class="card parts-editor">
      <h2 class="hidden">Text of the robot</h2>
      <label class="entry ${review.found?.problem ? "is-wrong" : ""}">
        <span>Robot as YAML</span>
        <textarea
          class="yaml"
          rows="28"
          spellcheck="false"
          autocapitalize="none"
          wrap="off"
          ?readonly=${!may}
          .value=${draft.text}
          @input=${withValue((text) => type(app, text))}
        ></textarea>
      </label>
      ${
        may
          ? html`<div class="toolbar">
            <button
              class="button primary"
              type="button"
              data-check
              ?disabled=${review.isBusy || !draft.isTyped}
              @click=${() => check(app)}
            >
              Check changes
            </button>
            <button
              class="button"
              type="button"
              ?disabled=${!draft.isTyped}
              @click=${() => type(app, state.document?.text ?? "")}
            >
              Discard
            </button>
          </div>`
          : nothing
      }
      ${review.found || !change.refusal ? nothing : errorLine(change.refusal, "Import failed")}
      ${reviewView(review, fault(), applying(app))}
    </div>
  `;
}

/** Show the fault with its line, which a press selects in the text. */
function fault() {
  const problem = review.found?.problem ?? "";
  const line = Number(/line (\d+)/.exec(problem)?.[1] ?? 0);
  const text = draft.text.split("\n")[line - 1];
  return html`
    <div class="notice" role="alert" data-fault>
      <p>${problem}</p>
      ${
        text === undefined
          ? nothing
          : html`<pre><b>${line}</b>  ${text}</pre>
            <button class="button small" type="button" data-line @click=${() => select(line)}>
              Go to line ${line}
            </button>`
      }
    </div>
  `;
}

/** @param {number} line */
function select(line) {
  const area = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("textarea.yaml"));
  if (!area) return;
  const lines = area.value.split("\n");
  const start = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  area.focus();
  area.setSelectionRange(start, start + lines[line - 1].length);
  area.scrollTop = (area.scrollHeight / lines.length) * (line - 5);
}

/** @param {App} app */
const applying = (app) =>
  applyRow(change, {
    name: "file",
    verb: "Put in force",
    busy: "Applying…",
    isOff: !review.isReady,
    press: () => apply(app),
  });

/** @param {App} app */
async function apply(app) {
  const { text } = review;
  const base = draft.base;
  const work = (/** @type {number} */ _, /** @type {string} */ note) =>
    app.api.request("robot", "apply", { text, base, note });
  if (!(await change.apply(app, work, review.restarts))) return;
  Object.assign(draft, { isTyped: false, base: -1 });
  review.close();
  app.draw();
}
