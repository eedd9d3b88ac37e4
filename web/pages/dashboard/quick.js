// What people do most, one press away.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { ask } from "../../lib/confirm.js";
import { dialog } from "../../lib/dialog.js";
import { targetName, words } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";

/** @typedef {import("../../app.js").App} App */

const CONTROL_MS = 60_000; // a page that was forgotten gives it back by itself

/** @param {App} app */
export function quickActions(app) {
  const isReady = app.api.state === "open" && mayOperate(app);
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const { targets = {} } = app.robot ?? {};
  return html`
    <div class="toolbar" role="group" aria-label="Quick actions">
      <button
        class="button"
        type="button"
        data-quick="home"
        ?disabled=${!isReady || isStopped}
        @click=${() => home(app)}
      >
        Home all
      </button>
      ${
        targets.tracks || !app.robot
          ? html`<button
            class="button"
            type="button"
            data-quick="stop-tracks"
            ?disabled=${!isReady}
            @click=${() => stopTracks(app)}
          >
            Stop tracks
          </button>`
          : nothing
      }
      <button
        class="button"
        type="button"
        data-quick="preset"
        ?disabled=${!isReady}
        @click=${() => openPresets(app)}
      >
        Load preset…
      </button>
      <button
        class="button"
        type="button"
        data-quick="control"
        ?disabled=${!isReady}
        @click=${() => openControl(app)}
      >
        Control…
      </button>
      <a class="button" href="#/firmware">Updates</a>
    </div>
  `;
}

/** @param {App} app */
function home(app) {
  const { targets = {} } = app.robot ?? {};
  const arms = Object.keys(targets).some((target) => target.startsWith("arms"));
  ask(app, {
    title: "Move everything home?",
    text:
      "The head and the arms move to their neutral positions, at their usual speed. Look at " +
      "the robot first.",
    verb: "Move home",
    said: "On the way home.",
    work: async () => {
      if (targets.head) await app.api.request("head", "home");
      if (arms) await app.api.request("arms", "home");
    },
  });
}

/** @param {App} app */
async function stopTracks(app) {
  try {
    await app.api.request("tracks", "stop");
    app.toasts.done("The tracks were told to stop.");
  } catch (err) {
    app.toasts.failed(err);
  }
}

/** @param {App} app */
async function openPresets(app) {
  app.dialogs.presets = { list: null, loaded: "", choice: "", isBusy: false, refusal: "" };
  app.draw();
  await fill(app, "presets", async (open) => {
    const reply = await app.api.request("router", "list_presets");
    Object.assign(open, { list: reply.presets, loaded: reply.loaded, choice: reply.loaded });
  });
}

/** @param {App} app */
async function openControl(app) {
  app.dialogs.control = { held: null, isBusy: false, refusal: "" };
  app.draw();
  await fill(app, "control", async (open) => {
    open.held = (await app.api.request("router", "get_status")).control;
  });
}

/**
 * Work on an open dialog; what fails is said in it.
 * @param {App} app
 * @param {string} name
 * @param {(open: any) => Promise<void>} work
 */
async function fill(app, name, work) {
  const open = app.dialogs[name];
  Object.assign(open, { isBusy: true, refusal: "" });
  app.draw();
  try {
    await work(open);
  } catch (err) {
    open.refusal = /** @type {Error} */ (err).message;
  }
  open.isBusy = false;
  app.draw();
}

/** @param {App} app */
export function presetDialog(app) {
  const open = app.dialogs.presets;
  const close = () => ((app.dialogs.presets = null), app.draw());
  const load = () =>
    fill(app, "presets", async () => {
      await app.api.request("router", "load_preset", { preset_name: open.choice });
      app.toasts.done(`The preset ${words(open.choice)} is in force.`);
      app.dialogs.presets = null;
    });
  return dialog(
    open,
    close,
    () => html`
      <h2>Load a preset</h2>
      <p>It takes the place of all routes; everything that moves comes to rest first.</p>
      ${
        open.list === null && !open.refusal
          ? html`<p class="quiet" role="status">One moment…</p>`
          : nothing
      }
      <fieldset class="options" ?disabled=${open.isBusy}>
        <legend class="hidden">Preset</legend>
        ${(open.list ?? []).map((/** @type {any} */ preset) => presetOption(app, open, preset))}
      </fieldset>
      ${refusal(open)}
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button
          class="button primary"
          type="button"
          data-load
          ?disabled=${open.isBusy || !open.choice}
          @click=${load}
        >
          Load
        </button>
      </div>
    `,
    "Load a preset",
  );
}

/** @param {App} app @param {any} open @param {any} preset */
function presetOption(app, open, preset) {
  const told = [
    preset.routes === 1 ? "1 route" : `${preset.routes} routes`,
    preset.is_shipped ? "shipped" : "your own",
    ...(preset.name === open.loaded ? ["in force"] : []),
  ];
  return html`
    <label class="option">
      <input
        type="radio"
        name="preset"
        value=${preset.name}
        .checked=${open.choice === preset.name}
        ?disabled=${Boolean(preset.fault)}
        @change=${() => ((open.choice = preset.name), app.draw())}
      >
      <span><b>${words(preset.name)}</b><small>${preset.fault || told.join(", ")}</small></span>
    </label>
  `;
}

/** @param {App} app */
export function controlDialog(app) {
  const open = app.dialogs.control;
  const close = () => ((app.dialogs.control = null), app.draw());
  return dialog(
    open,
    close,
    () => html`
      <h2>Exclusive control</h2>
      <p>
        Who takes a target has it alone until he gives it back or is silent for a minute. An RC
        transmitter's stop and the emergency stop work all the same.
      </p>
      <ul class="control-list">
        ${Object.keys(app.robot?.targets ?? {}).map((target) => controlRow(app, open, target))}
      </ul>
      ${refusal(open)}
      <div class="actions">
        <button class="button primary" type="button" @click=${close}>Done</button>
      </div>
    `,
    "Exclusive control",
  );
}

/** @param {App} app @param {any} open @param {string} target */
function controlRow(app, open, target) {
  const holder = open.held?.find((/** @type {any} */ each) => each.target === target)?.holder ?? "";
  const isOurs = holder === `websocket:${app.api.session.client_id}`;
  const act = (/** @type {string} */ action, params = {}) =>
    fill(app, "control", async () => {
      open.held = (await app.api.request("router", action, { target, ...params })).control;
    });
  return html`
    <li data-control=${target}>
      <span>
        <b>${targetName(target)}</b><small class="quiet">${who(open, holder, isOurs)}</small>
      </span>
      ${
        holder
          ? html`<button
            class="button small"
            type="button"
            ?disabled=${open.isBusy}
            @click=${() => act("release_control", isOurs ? {} : { force: true })}
          >
            ${isOurs ? "Give back" : "Release it"}
          </button>`
          : html`<button
            class="button small"
            type="button"
            ?disabled=${open.isBusy || open.held === null}
            @click=${() => act("take_control", { timeout_ms: CONTROL_MS })}
          >
            Take
          </button>`
      }
    </li>
  `;
}

/** @param {any} open @param {string} holder @param {boolean} isOurs */
function who(open, holder, isOurs) {
  if (open.held === null) return "…";
  if (!holder) return "free";
  return isOurs ? "held by this page" : `held by ${holder}`;
}

/** @param {any} open */
const refusal = (open) => html`
  <p class="refusal" role="alert">
    ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
  </p>
`;
