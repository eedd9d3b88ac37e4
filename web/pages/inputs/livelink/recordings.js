// Recordings of capture data: record, play as a source, delete.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { problemOf } from "../../../lib/api.js";
import { onSubmit, withValue } from "../../../lib/events.js";
import { dayAndClock, duration } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { bytes } from "../../../lib/robot/machine-updates.js";
import { askConfirmation } from "../../../parts/confirm.js";
import { polls } from "../polls.js";

/** @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").RecordingInfo} RecordingInfo */
/** @typedef {import("../../../lib/types.js").RecordingList} RecordingList */
/** @typedef {import("../../../lib/types.js").RecordingState} RecordingState */
/** @typedef {import("../../../lib/types.js").Actions["livelink"]} Actions */
/**
 * @template {keyof Actions} Name
 * @typedef {import("../../../lib/api.js").Params<"livelink", Name>} Params
 */

const NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$/; // same rule as in livelinkd
const state = { name: "", wrong: "" };

/** @param {App} app */
export function recordings(app) {
  const { data, problem } = polls.recordings;
  const current = data?.current;
  return html`
    <section aria-labelledby="recordings-title">
      <div class="section-head"><h2 id="recordings-title">Recordings</h2></div>
      <div class="card recordings">
        ${!data ? html`<p class="quiet">${problem ? problem.message : "Loading…"}</p>` : nothing}
        ${data ? (current?.recording ? running(app, current) : form(app)) : nothing}
        ${
          current && !current.recording && current.problem
            ? html`
              <p class="wrong" role="alert">Recording ${current.name} ended: ${current.problem}</p>
            `
            : nothing
        }
        ${data?.playing ? playing(app, data) : nothing}
        ${
          data && !data.recordings.length
            ? html`
              <p class="quiet">
                No recordings. A recording plays like a live phone, for shows and to test routes.
              </p>
            `
            : nothing
        }
        <ul class="recording-list">
          ${repeat(
            data?.recordings ?? [],
            (each) => each.name,
            (each) => recording(app, each, data?.playing ?? ""),
          )}
        </ul>
      </div>
    </section>
  `;
}

/** @param {App} app */
function form(app) {
  const isWrong = Boolean(state.wrong);
  return html`
    <form class="record-form" novalidate @submit=${onSubmit(() => record(app))}>
      <label class="entry ${isWrong ? "is-wrong" : ""}">
        <span>Recording name</span>
        <input
          name="recording"
          maxlength="64"
          autocomplete="off"
          spellcheck="false"
          placeholder=${suggested()}
          .value=${state.name}
          aria-invalid=${isWrong ? "true" : "false"}
          aria-describedby=${isWrong ? "recording-wrong" : nothing}
          @input=${withValue((value) => (state.name = value))}>
      </label>
      <button class="button" type="submit" data-record ?disabled=${!mayOperate(app)}>Record</button>
      ${
        isWrong
          ? html`<p class="wrong" id="recording-wrong" role="alert">${state.wrong}</p>`
          : nothing
      }
    </form>
  `;
}

function suggested() {
  const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const now = new Date();
  const day = [now.getMonth() + 1, now.getDate()].map(two).join("");
  const time = [now.getHours(), now.getMinutes()].map(two).join("");
  return `take-${day}-${time}`;
}

/** @param {App} app */
async function record(app) {
  const name = state.name.trim() || suggested();
  state.wrong = NAME.test(name)
    ? ""
    : "Use letters, digits, dots, hyphens and underscores; do not begin with a dot.";
  if (!state.wrong) {
    try {
      await app.api.request("livelink", "record", { name });
      state.name = "";
    } catch (err) {
      const { message, fix } = problemOf(err);
      state.wrong = [message, fix].filter(Boolean).join(". ");
    }
    polls.recordings.refresh(app);
  }
  app.draw();
}

/** @param {App} app @param {RecordingState} current */
const running = (app, current) => html`
  <div class="now-recording" role="status">
    <span class="chip bad"><i class="dot"></i>Recording</span>
    <b>${current.name}</b>
    <span class="quiet">${duration(current.seconds)}, ${current.datagrams} datagrams,
    ${bytes(current.size_bytes)}${current.dropped ? `, ${current.dropped} dropped` : ""}</span>
    <button class="button small" type="button" data-stop-recording ?disabled=${!mayOperate(app)}
      @click=${() => act(app, "stop_recording")}
    >
      Stop
    </button>
  </div>
`;

/** @param {App} app @param {RecordingList} data */
const playing = (app, data) => html`
  <div class="now-recording" role="status">
    <span class="chip busy"><i class="dot"></i>Playing</span> <b>${data.playing}</b>
    <span class="quiet">${data.played} datagrams</span>
    <button class="button small" type="button" data-stop-playing ?disabled=${!mayOperate(app)}
      @click=${() => act(app, "stop_playing")}
    >
      Stop
    </button>
  </div>
`;

/** @param {App} app @param {RecordingInfo} each @param {string} playing */
const recording = (app, each, playing) => html`
  <li data-recording=${each.name}>
    <span><b>${each.name}</b><small class="quiet">${bytes(each.size_bytes)},
    ${dayAndClock(each.made)}</small></span>
    <span class="toolbar">
      <button
        class="button small"
        type="button"
        data-play
        ?disabled=${!mayOperate(app) || playing === each.name}
        @click=${() => act(app, "play", { name: each.name })}
      >
        Play
      </button>
      <button
        class="button small"
        type="button"
        data-loop
        ?disabled=${!mayOperate(app) || playing === each.name}
        aria-label=${`Play ${each.name} in a loop`}
        @click=${() => act(app, "play", { name: each.name, again: true })}
      >
        Loop
      </button>
      <button
        class="button small"
        type="button"
        data-delete
        aria-label=${`Delete ${each.name}`}
        ?disabled=${!mayOperate(app)}
        @click=${() => remove(app, each.name)}
      >
        Delete
      </button>
    </span>
  </li>
`;

/**
 * @template {keyof Actions} Name
 * @param {App} app
 * @param {Name} action
 * @param {Params<Name>} [params]
 */
async function act(app, action, params) {
  try {
    await app.api.request("livelink", action, params);
  } catch (err) {
    app.toasts.failed(err);
  }
  polls.recordings.refresh(app);
}

/** @param {App} app @param {string} name */
function remove(app, name) {
  askConfirmation(app, {
    title: `Delete ${name}?`,
    text: "The recording cannot be restored.",
    verb: "Delete the recording",
    isDanger: true,
    async work() {
      await app.api.request("livelink", "delete_recording", { name });
      polls.recordings.refresh(app);
    },
    said: `${name} deleted.`,
  });
}
