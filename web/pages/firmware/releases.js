// The releases on the server, and the upload of a new one by drag and drop or file choice.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withField } from "../../lib/events.js";
import { bytes, isUnderWay } from "../../lib/robot/machine-updates.js";
import { bar } from "../../parts/bar.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "store">} App */
/** @typedef {import("../../lib/types.js").Release} Release */

/** @typedef {"none" | "sending" | "refused" | "done"} State */

/** The present or last upload. */
const file = {
  state: /** @type {State} */ ("none"),
  name: "",
  sent: 0,
  total: 0,
  text: "",
  isOver: false,
  cancel: () => {},
};

/** @param {App} app */
export function releases(app) {
  const list = app.store.data.firmware?.releases ?? [];
  return html`
    <section aria-labelledby="releases-title">
      <div class="section-head"><h2 id="releases-title">Releases</h2></div>
      ${upload(app)}
      ${repeat(
        list,
        (release) => release.version,
        (release) => card(app, release),
      )}
      ${
        list.length
          ? nothing
          : html`<p class="quiet">
            No releases. A release is a file <code>saint-os-….raucb</code>; you can also upload it
            with <code>saintctl firmware upload</code>.
          </p>`
      }
    </section>
  `;
}

/** @param {App} app @param {Release} release */
function card(app, release) {
  const [first = "", ...rest] = release.changelog.trim().split("\n");
  const robot = app.store.data.firmware?.robot_version;
  const closed = app.store.data.firmware?.offers_closed;
  return html`
    <article class="card release" data-release=${release.version}>
      <header>
        <div>
          <h3>${release.version}</h3>
          <p class="id">${release.release_date.slice(0, 10)} · ${bytes(release.size_bytes)}</p>
        </div>
        ${
          release.is_current
            ? html`
              <span
                class="chip ${closed ? "idle" : "good"}"
                title="Nodes install this release at boot, or when the robot rests for 5 minutes"
              >
                <i class="dot"></i>Offered</span>
            `
            : nothing
        }
      </header>
      ${
        release.is_current && closed
          ? html`<p class="quiet" data-closed>Offered, but ${closed}.</p>`
          : nothing
      }
      <p class="changelog">${first || "No release notes."}</p>
      ${
        rest.length
          ? html`<details><summary>Release notes</summary><pre>${release.changelog}</pre></details>`
          : nothing
      }
      <footer class="actions">
        <button
          class="button plain"
          type="button"
          data-delete
          ?disabled=${release.is_current}
          @click=${() => openDialog(app, "delete", release)}
        >
          Delete…
        </button>
        <button
          class="button primary"
          type="button"
          data-rollout
          ?disabled=${isRunning(app)}
          @click=${() => openDialog(app, "rollout", release)}
        >
          ${robot === release.version ? "Install again…" : "Roll out…"}
        </button>
      </footer>
    </article>
  `;
}

/** @param {App} app */
const isRunning = (app) => isUnderWay(app.store.data.firmware?.plan);

/** @param {App} app @param {"rollout" | "delete"} what @param {Release} release */
function openDialog(app, what, release) {
  // "Install again" is always forced
  const isForced = app.store.data.firmware?.robot_version === release.version;
  app.dialogs.firmware = { what, release, canary: "", isForced, isBusy: false, refusal: "" };
  app.draw();
}

/** @param {App} app */
function upload(app) {
  /** @param {DragEvent} event */
  const over = (event) => {
    event.preventDefault();
    file.isOver = true;
    app.draw();
  };
  const left = () => ((file.isOver = false), app.draw());
  /** @param {DragEvent} event */
  const drop = (event) => {
    event.preventDefault();
    file.isOver = false;
    start(app, event.dataTransfer?.files[0]);
  };
  return html`
    <div
      class="card drop ${file.isOver ? "is-over" : ""}"
      data-upload=${file.state}
      @dragover=${over}
      @dragleave=${left}
      @drop=${drop}
    >
      ${file.state === "sending" ? sending() : choose(app)}
      ${file.state === "done" ? html`<p class="good-news">${file.text}</p>` : nothing}
      <p class="refusal" role="alert">${file.state === "refused" ? refused(file.text) : nothing}</p>
    </div>
  `;
}

/** @param {string} text */
const refused = (text) => html`<strong>Upload failed:</strong> ${text}`;

/** @param {App} app */
const choose = (app) => html`
  <p><b>Upload a release</b><br><span class="quiet">Drop the file here, or</span></p>
  <label class="button">
    Choose file…
    <input
      class="hidden"
      type="file"
      accept=".raucb"
      ?disabled=${app.api.state !== "open"}
      @change=${withField((field) => (start(app, field.files?.[0]), (field.value = "")))}
    >
  </label>
`;

function sending() {
  const { name, sent, total, cancel } = file;
  const isSent = total > 0 && sent >= total;
  const text = isSent ? "Checking signature and content…" : `${bytes(sent)} of ${bytes(total)}`;
  return html`
    <p><b>${name}</b><br><span class="quiet">${text}</span></p>
    <span
      class="track"
      role="progressbar"
      aria-label="Uploaded"
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${Math.round((100 * sent) / (total || 1))}
    >
      <i ${bar(sent, 0, total || 1)}></i>
    </span>
    <button class="button plain" type="button" @click=${() => cancel()}>Cancel upload</button>
  `;
}

/** @param {App} app @param {File | undefined} chosen */
async function start(app, chosen) {
  if (!chosen || file.state === "sending") return;
  Object.assign(file, {
    state: "sending",
    name: chosen.name,
    sent: 0,
    total: chosen.size,
    text: "",
  });
  const { reply, cancel } = app.api.upload(chosen, (sent) => {
    file.sent = sent;
    app.draw();
  });
  file.cancel = cancel;
  app.draw();
  try {
    const release = await reply;
    Object.assign(file, {
      state: "done",
      text: `Release ${release.version} uploaded; its signature is trusted.`,
    });
  } catch (err) {
    Object.assign(file, { state: "refused", text: /** @type {Error} */ (err).message });
  }
  app.draw();
}
