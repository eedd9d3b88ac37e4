// What people do most, one press away.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { targetName, words } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { ask } from "../../parts/confirm.js";
import { dialog } from "../../parts/dialog.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "robot" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../lib/types.js").PresetInfo} PresetInfo */
/** @typedef {import("../../lib/types.js").ControlInfo} ControlInfo */
/** @typedef {{isBusy: boolean, refusal: string}} Asking */
/** @typedef {Asking & {list: PresetInfo[] | null, loaded: string, choice: string}} OpenPresets */
/** @typedef {Asking & {held: ControlInfo[] | null}} OpenControl */

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
  /** @type {OpenPresets} */
  const opened = { list: null, loaded: "", choice: "", isBusy: false, refusal: "" };
  app.dialogs.presets = opened;
  app.draw();
  await fill(app, opened, async (open) => {
    const reply = await app.api.request("router", "list_presets");
    Object.assign(open, { list: reply.presets, loaded: reply.loaded, choice: reply.loaded });
  });
}

/** @param {App} app */
async function openControl(app) {
  /** @type {OpenControl} */
  const opened = { held: null, isBusy: false, refusal: "" };
  app.dialogs.control = opened;
  app.draw();
  await fill(app, opened, async (open) => {
    open.held = (await app.api.request("router", "get_status")).control;
  });
}

/**
 * Work on an open dialog; what fails is said in it.
 * @template {OpenPresets | OpenControl} T
 * @param {App} app
 * @param {T} open
 * @param {(open: T) => Promise<void>} work
 */
async function fill(app, open, work) {
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
  const load = (/** @type {OpenPresets} */ open) =>
    fill(app, open, async () => {
      await app.api.request("router", "load_preset", { preset_name: open.choice });
      app.toasts.done(`The preset ${words(open.choice)} is in force.`);
      app.dialogs.presets = null;
    });
  return dialog(
    open,
    close,
    (open) => html`
      <h2>Load a preset</h2>
      <p>It takes the place of all routes; everything that moves comes to rest first.</p>
      ${
        open.list === null && !open.refusal
          ? html`<p class="quiet" role="status">One moment…</p>`
          : nothing
      }
      <fieldset class="options" ?disabled=${open.isBusy}>
        <legend class="hidden">Preset</legend>
        ${(open.list ?? []).map((preset) => presetOption(app, open, preset))}
      </fieldset>
      ${refusal(open)}
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button
          class="button primary"
          type="button"
          data-load
          ?disabled=${open.isBusy || !open.choice}
          @click=${() => load(open)}
        >
          Load
        </button>
      </div>
    `,
    "Load a preset",
  );
}

/** @param {App} app @param {OpenPresets} open @param {PresetInfo} preset */
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
    (open) => html`
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

/** @param {App} app @param {OpenControl} open @param {string} target */
function controlRow(app, open, target) {
  const holder = open.held?.find((each) => each.target === target)?.holder ?? "";
  const isOurs = holder === `websocket:${app.api.session.client_id}`;
  const act = (/** @type {() => Promise<{control: ControlInfo[]}>} */ ask) =>
    fill(app, open, async () => {
      open.held = (await ask()).control;
    });
  const give = () => app.api.request("router", "release_control", { target, force: !isOurs });
  const take = () => app.api.request("router", "take_control", { target, timeout_ms: CONTROL_MS });
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
            @click=${() => act(give)}
          >
            ${isOurs ? "Give back" : "Release it"}
          </button>`
          : html`<button
            class="button small"
            type="button"
            ?disabled=${open.isBusy || open.held === null}
            @click=${() => act(take)}
          >
            Take
          </button>`
      }
    </li>
  `;
}

/** @param {OpenControl} open @param {string} holder @param {boolean} isOurs */
function who(open, holder, isOurs) {
  if (open.held === null) return "…";
  if (!holder) return "free";
  return isOurs ? "held by this page" : `held by ${holder}`;
}

/** @param {OpenPresets | OpenControl} open */
const refusal = (open) => html`
  <p class="refusal" role="alert">
    ${open.refusal ? html`<strong>It did not work:</strong> ${open.refusal}` : nothing}
  </p>
`;
