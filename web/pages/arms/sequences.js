// The tab "Sequences": record from whichever master drives an arm, play, loop, import and export.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked, withField, withValue } from "../../lib/events.js";
import { fixed, targetName } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { armsOf, lockText } from "../../lib/robot/arms.js";
import { saveText } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { framed } from "./frame.js";
import { state } from "./state.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "store" | "toasts">} App
 */
/** @typedef {import("../../lib/types.js").SequenceInfo} SequenceInfo */

const NAME = "[A-Za-z0-9_\\-]{1,64}";

const form = { name: "", target: "", speed: 1, isLoop: false };

/** @param {App} app */
const targetOf = (app) => form.target || armsOf(app.robot)[0] || "";

/** @param {App} app */
export const sequencesView = (app) =>
  framed(
    app,
    "/arms/sequences",
    html`<div class="arms-sequences">${bench(app)} ${stored(app)}</div>`,
  );

/** Arm, speed, loop, recording. @param {App} app */
function bench(app) {
  const arms = armsOf(app.robot);
  const target = targetOf(app);
  const recording = state.sequences?.recording;
  const master = state.masterOf(target);
  const lock = lockText(master, app.api.session.client_id);
  const change = (/** @type {Partial<typeof form>} */ by) => (Object.assign(form, by), app.draw());
  return html`
    <section class="card" aria-labelledby="record-title">
      <h2 id="record-title">Record and play</h2>
      <div class="arm-bench">
        <label>
          Arm
          <select @change=${withValue((value) => change({ target: value }))}>
            ${arms.map(
              (each) =>
                html`<option value=${each} ?selected=${each === target}>
                  ${targetName(each)}
                </option>`,
            )}
          </select>
        </label>
        <label>
          Speed
          <select data-speed @change=${withValue((value) => change({ speed: Number(value) }))}>
            ${[0.25, 0.5, 1, 1.5, 2].map(
              (each) =>
                html`<option value=${each} ?selected=${each === form.speed}>${each}×</option>`,
            )}
          </select>
        </label>
        <label class="switch">
          <input type="checkbox" role="switch" data-loop .checked=${form.isLoop}
            @change=${withChecked((isLoop) => change({ isLoop }))}>
          Loop
        </label>
      </div>
      ${mayOperate(app) ? recorder(app, target, recording) : nothing}
      <p class="quiet">
        ${
          lock
            ? `${lock} A sequence that is played takes the arm over.`
            : "A recording begins with the next motion, whichever master drives the arm."
        }
      </p>
    </section>
  `;
}

/** @param {App} app @param {string} target
 * @param {import("../../lib/types.js").SequenceRecording | null | undefined} recording */
function recorder(app, target, recording) {
  if (recording)
    return html`
      <div class="toolbar" role="status" data-recording>
        <span class="chip busy"><i class="dot"></i>${recording.name}: ${
          recording.frames ? `${fixed(recording.at_s, 1)} s` : "waits for the first motion"
        }</span>
        <button class="button primary" type="button" data-finish ?disabled=${state.isBusy}
          @click=${() => state.act(app, () => app.api.request("sequence", "finish"))}>
          Finish and save
        </button>
      </div>
    `;
  const record = () =>
    state.act(app, () =>
      app.api.request("sequence", "record", { sequence_name: form.name, target }),
    );
  return html`
    <form class="toolbar" @submit=${onSubmit(record)}>
      <input
        aria-label="Name of the recording"
        placeholder="Name"
        required
        pattern=${NAME}
        autocomplete="off"
        data-name
        .value=${form.name}
        @input=${withValue((value) => (form.name = value))}
      >
      <button class="button primary" type="submit" data-record ?disabled=${state.isBusy}>
        Record
      </button>
      <label class="button">
        Import…
        <input type="file" class="hidden" accept=".json,.csv" data-import
          @change=${withField((field) => void importFile(app, field))}>
      </label>
    </form>
  `;
}

/** @param {App} app */
function stored(app) {
  const found = state.sequences?.sequences ?? [];
  return html`
    <section class="card" aria-labelledby="stored-title">
      <h2 id="stored-title">Sequences</h2>
      ${
        found.length
          ? html`<ul class="arm-list">${found.map((each) => row(app, each))}</ul>`
          : html`<p class="quiet">None yet: record one, or import a file.</p>`
      }
    </section>
  `;
}

/** @param {SequenceInfo} info */
const about = ({ duration_s: seconds, joints }) =>
  `${fixed(seconds, 1)} s, ${joints.length} ${joints.length === 1 ? "joint" : "joints"}`;

/** @param {App} app @param {SequenceInfo} info */
function row(app, info) {
  const { name, fault } = info;
  const played = state.sequences?.playing.find((each) => each.name === name);
  const isPlaying = Boolean(played && played.state !== "ended");
  const off = state.isBusy || app.api.state !== "open";
  const is = !played
    ? ""
    : played.state === "ended"
      ? played.reason
      : played.state === "approaching"
        ? "goes to its first frame"
        : `${fixed(played.at_s, 1)} s`;
  return html`
    <li data-sequence=${name}>
      <b>${name}</b>
      <span class="quiet">
        ${[fault || about(info), info.source].filter(Boolean).join(", ")}
      </span>
      <span class="chip ${isPlaying ? "busy" : "idle"}" data-state ?hidden=${!is}>
        <i class="dot"></i>${is}
      </span>
      ${mayOperate(app) ? actions(app, info, isPlaying ? played?.target : undefined, off) : nothing}
    </li>
  `;
}

/** @param {App} app @param {SequenceInfo} info @param {string | undefined} playsOn
 * @param {boolean} off */
function actions(app, { name, fault }, playsOn, off) {
  const play = () => {
    const { speed, isLoop: loop } = form;
    const params = { sequence_name: name, target: targetOf(app), speed, loop, takeover: true };
    return state.act(app, () => app.api.request("sequence", "play", params));
  };
  const stop = () =>
    state.act(app, () => app.api.request("sequence", "stop", { target: playsOn ?? "" }));
  return html`
    <span class="toolbar">
      ${
        playsOn
          ? html`<button class="button small" type="button" data-stop ?disabled=${off}
              @click=${stop}>Stop</button>`
          : html`<button class="button small" type="button" data-play
              ?disabled=${off || Boolean(fault)} @click=${play}>Play</button>`
      }
      <button class="button small" type="button" data-export ?disabled=${off || Boolean(fault)}
        @click=${() => exportFile(app, name)}>Export</button>
      <button class="button small" type="button" data-delete
        ?disabled=${off || Boolean(playsOn)} @click=${() => remove(app, name)}>Delete</button>
    </span>
  `;
}

/** @param {App} app @param {string} name */
const exportFile = (app, name) =>
  state.act(app, async () => {
    const sequence = await app.api.request("sequence", "get", { sequence_name: name });
    saveText(`${name}.json`, JSON.stringify(sequence));
  });

/** @param {App} app @param {string} name */
const remove = (app, name) =>
  askConfirmation(app, {
    title: `Delete sequence ${name}?`,
    text: "Export it first if it may be needed again.",
    verb: "Delete the sequence",
    isDanger: true,
    work: async () => {
      await app.api.request("sequence", "delete", { sequence_name: name });
      await state.look(app);
    },
  });

/**
 * Import a file of `export`, or an episode of LeRobot (CSV, or JSON with other keys).
 * @param {App} app @param {HTMLInputElement} field
 */
async function importFile(app, field) {
  const file = field.files?.[0];
  if (!file) return;
  const text = await file.text();
  field.value = "";
  const [, stem, ending] = /^(.*?)(?:\.(\w+))?$/.exec(file.name) ?? [];
  const name = form.name || (stem ?? "").replace(/[^A-Za-z0-9_-]+/g, "_").slice(0, 64);
  await state.act(app, async () => {
    const own = ending === "csv" ? null : ownFile(text);
    if (own) {
      await app.api.request("sequence", "save", { sequence_name: name, sequence: own });
      return;
    }
    const format = /** @type {"csv" | "json"} */ (ending === "csv" ? "csv" : "json");
    const params = { sequence_name: name, target: targetOf(app), text, format };
    await app.api.request("sequence", "import_episode", params);
  });
}

/** @param {string} text
 * @returns {import("../../lib/types.js").JointSequenceGiven | null} null: another format */
function ownFile(text) {
  let given;
  try {
    given = JSON.parse(text);
  } catch {
    throw new Error("The file is neither JSON nor CSV.");
  }
  return given && Array.isArray(given.joints) && Array.isArray(given.frames) ? given : null;
}
