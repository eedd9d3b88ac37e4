// Quick actions: home, stop the base, load a preset, exclusive control.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { age, targetName, words } from "../../lib/format.js";
import { mayOperate } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { dialog, errorLine } from "../../parts/dialog.js";

/**
 * @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "robot" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../lib/types.js").PresetInfo} PresetInfo */
/** @typedef {import("../../lib/types.js").MasterInfo} MasterInfo */
/** @typedef {import("../../lib/types.js").MasterList} MasterList */
/** @typedef {{isBusy: boolean, refusal: string}} RequestState */
/**
 * @typedef {RequestState & {list: PresetInfo[] | null, loaded: string, choice: string}} OpenPresets
 */
/** @typedef {RequestState & {masters: MasterInfo[] | null}} OpenControl */

const CONTROL_MS = 60_000; // a forgotten page releases control after this time

/** @param {App} app */
export function quickActions(app) {
  const isReady = app.api.state === "open" && mayOperate(app);
  const isStopped = Boolean(app.store.data.system?.estop?.active);
  const base = app.robot?.base;
  const name = targetName(base || "tracks").toLowerCase();
  return html`
    <div class="toolbar" role="group" aria-label="Quick actions">
      <button
        class="button"
        type="button"
        data-quick="home"
        ?disabled=${!isReady || isStopped}
        @click=${() => home(app)}
      >
        Move home
      </button>
      ${
        !app.robot || app.robot.base
          ? html`<button
            class="button"
            type="button"
            data-quick="stop-base"
            ?disabled=${!isReady}
            @click=${() => stopBase(app)}
          >
            Stop ${name}
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
      <a class="button" href="/logs">Logs</a>
      <a class="button" href="/firmware">Updates</a>
      <a class="button" href="/settings/maintenance">Restart…</a>
    </div>
  `;
}

/** @param {App} app */
function home(app) {
  const { targets = {} } = app.robot ?? {};
  const arms = Object.keys(targets).some((target) => target.startsWith("arms"));
  askConfirmation(app, {
    title: "Move head and arms home?",
    text:
      "Head and arms move to their neutral positions at their usual speed. Check that the space " +
      "around the robot is free.",
    verb: "Move home",
    said: "Moving to the neutral positions.",
    work: async () => {
      if (targets.head) await app.api.request("head", "home");
      if (arms) await app.api.request("arms", "home");
    },
  });
}

/** @param {App} app */
async function stopBase(app) {
  try {
    await app.api.request("base", "stop");
    app.toasts.done(`Stop sent to the ${targetName(app.robot?.base || "tracks").toLowerCase()}.`);
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
  const opened = { masters: null, isBusy: false, refusal: "" };
  app.dialogs.control = opened;
  app.draw();
  await fill(app, opened, async (open) => {
    open.masters = (await app.api.request("router", "list_masters")).masters;
  });
}

/**
 * Run a request of an open dialog and show its error there.
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
      app.toasts.done(`The preset ${words(open.choice)} is active.`);
      app.dialogs.presets = null;
    });
  return dialog(
    open,
    close,
    (open) => html`
      <h2>Load a preset</h2>
      <p>The preset replaces all routes. Everything that moves comes to rest first.</p>
      ${
        open.list === null && !open.refusal
          ? html`<p class="quiet" role="status">Loading…</p>`
          : nothing
      }
      <fieldset class="options" ?disabled=${open.isBusy}>
        <legend class="hidden">Preset</legend>
        ${(open.list ?? []).map((preset) => presetOption(app, open, preset))}
      </fieldset>
      ${errorLine(open.refusal)}
      <div class="actions">
        <button class="button" type="button" @click=${close}>Cancel</button>
        <button
          class="button primary"
          type="button"
          data-load
          ?disabled=${open.isBusy || !open.choice}
          @click=${() => load(open)}
        >
          Load preset
        </button>
      </div>
    `,
    "Load a preset",
  );
}

/** @param {App} app @param {OpenPresets} open @param {PresetInfo} preset */
function presetOption(app, open, preset) {
  const facts = [
    preset.routes === 1 ? "1 route" : `${preset.routes} routes`,
    preset.is_shipped ? "shipped" : "custom",
    ...(preset.name === open.loaded ? ["active"] : []),
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
      <span><b>${words(preset.name)}</b><small>${preset.fault || facts.join(", ")}</small></span>
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
        One master drives a target alone: this page, until you release it or it sends nothing for
        60 s, a leader arm or a sequence. The RC transmitter's stop and the emergency stop still
        work.
      </p>
      <ul class="control-list">
        ${targetsOf(app, open).map((target) => controlRow(app, open, target))}
      </ul>
      ${errorLine(open.refusal)}
      <div class="actions">
        <button class="button primary" type="button" @click=${close}>Close</button>
      </div>
    `,
    "Exclusive control",
  );
}

/**
 * Return the targets that something can drive, as the router lists them.
 * @param {App} app
 * @param {OpenControl} open
 */
const targetsOf = (app, open) =>
  open.masters?.map((each) => each.target) ?? Object.keys(app.robot?.targets ?? {});

/** @param {App} app @param {OpenControl} open @param {string} target */
function controlRow(app, open, target) {
  const master = open.masters?.find((each) => each.target === target);
  const holder = master?.holder ?? "";
  const isOurs = holder === `websocket:${app.api.session.client_id}`;
  const send = (/** @type {() => Promise<unknown>} */ request) =>
    fill(app, open, async () => {
      await request();
      open.masters = (await app.api.request("router", "list_masters")).masters;
    });
  const release = () => app.api.request("router", "release_control", { target, force: !isOurs });
  const takeover = Boolean(holder);
  const take = () =>
    app.api.request("router", "take_control", { target, timeout_ms: CONTROL_MS, takeover });
  const engage = (/** @type {string} */ leader) =>
    app.api.request("router", "engage_leader", { target, leader, takeover });
  const button = (
    /** @type {string} */ text,
    /** @type {() => Promise<unknown>} */ request,
  ) => html`
    <button
      class="button small"
      type="button"
      ?disabled=${open.isBusy || !master}
      @click=${() => send(request)}
    >
      ${text}
    </button>
  `;
  const leaders = (master?.leaders ?? []).filter((each) => holder !== `leader:${each.name}`);
  return html`
    <li data-control=${target}>
      <span>
        <b>${targetName(target)}</b><small class="quiet">${who(master, isOurs)}</small>
      </span>
      <span class="buttons">
        ${leaders.map((each) => button(`Give to ${words(each.name)}`, () => engage(each.name)))}
        ${isOurs ? nothing : button(holder ? "Take over" : "Take control", take)}
        ${holder ? button("Release", release) : nothing}
      </span>
    </li>
  `;
}

/** @param {MasterInfo | undefined} master @param {boolean} isOurs */
function who(master, isOurs) {
  if (!master) return "…";
  if (!master.holder) return "free";
  const since = `for ${age(master.held_ms)}`;
  if (isOurs) return `held by this page ${since}`;
  const name = master.holder.split(":").slice(1).join(":");
  const kinds = {
    leader: `leader ${words(name)}`,
    sequence: "a sequence",
    client: `client ${name}`,
  };
  const holder = /** @type {Record<string, string>} */ (kinds)[master.kind] ?? master.holder;
  return `held by ${holder} ${since}`;
}
