// A new part: role, kind, name and place; a free channel, pin or address is proposed.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { onSubmit, withValue } from "../../lib/events.js";
import { targetName } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import {
  freeChannel,
  freePins,
  kindsNamed,
  neighbours,
  soundDevice,
} from "../../lib/robot/parts.js";
import { errorLine } from "../../parts/dialog.js";
import { Draft, faultOf } from "./draft.js";
import { asGood, devicesOf, driverOf, fieldsOf } from "./fields.js";
import { notices } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "router" | "store">} App */
/** @typedef {import("../../lib/types.js").PartKind} PartKind */

const PULSED = ["servo", "hbridge", "bts7960", "drv8833", "tb6612", "dimmer"];
const GROUPS = {
  gpio_mapping: "On pins and channels",
  i2c_devices: "On I2C",
  spi_devices: "On SPI",
  serial_devices: "On a serial line",
  can_devices: "On a CAN bus",
  sound: "Sound",
};

/** What is filled in. */
const form = {
  place: "", // address that the form was opened for
  target: "",
  kind: "", // "gpio_mapping servo"
  name: "",
  draft: new Draft({ output: {}, hardware: {} }, { output: [], hardware: [] }),
  refusal: "",
};

/** @param {PartKind} kind */
const idOf = ({ group, kind }) => `${group} ${kind}`;

/** @param {App} app @param {string} rest "add/head/pin/18", "add/head/i2c/1:0x41" */
export function addView(app, rest) {
  const back = html`<p class="way-back"><a href="/parts">All parts</a></p>`;
  const { parts, catalog } = state;
  const head = html`${back}
    <div class="page-head"><h1>Add a part</h1></div>
    ${notices()}`;
  if (!parts || !catalog) return html`${head}<p class="quiet" role="status">Loading…</p>`;
  if (!isAdmin(app))
    return html`${head}<p class="notice is-quiet">Adding parts needs the admin role.</p>`;
  begin(app, rest);
  const kind = catalog.kinds.find((each) => idOf(each) === form.kind);
  const fault = faultOf(form.refusal, form.draft);
  const shared = {
    target: form.target,
    name: "",
    kind: kind?.kind ?? "",
    unit: "",
    draft: form.draft,
    isLocked: state.isBusy,
    refusal: form.refusal,
    fault,
    changed: () => ((form.refusal = ""), app.draw()),
  };
  return html`
    ${head}
    <form class="card part-form part-add" @submit=${onSubmit(() => add(app))}>
      <div class="part-fields">
        ${choices(app)}
        <label class="entry">
          <span>Name</span>
          <input
            name="name"
            data-focus
            required
            maxlength="48"
            pattern="[a-z][a-z0-9_]*"
            placeholder="brow_left"
            autocapitalize="none"
            autocomplete="off"
            spellcheck="false"
            ?disabled=${kind?.group === "sound"}
            .value=${form.name}
            @input=${withValue((value) => ((form.name = value), app.draw()))}
          >
          <span class="hint">
            ${kind?.group === "sound" ? "a role has one" : "small letters, digits and _"}
          </span>
        </label>
        ${fieldsOf(shared, "hardware")}
      </div>
      ${lacking(kind)}
      ${form.refusal && !fault ? errorLine(form.refusal, "Refused") : nothing}
      <div class="part-save">
        <p class="quiet">
          ${
            kind?.drives
              ? "It begins with usual limits; set them by trying. Router and pages restart."
              : "Its role opens its drivers again when its outputs are safe."
          }
        </p>
        <button
          class="button primary"
          type="submit"
          data-save
          ?disabled=${state.isBusy || !form.name}
        >
          ${state.isBusy ? "Adding…" : "Add the part"}
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app */
function choices(app) {
  const targets = [...new Set((state.parts ?? []).map(({ target }) => target))];
  const kinds = state.catalog?.kinds ?? [];
  /** @param {Partial<typeof form>} change */
  const choose = (change) => {
    Object.assign(form, change, { refusal: "" });
    propose(app, {});
    app.draw();
  };
  return html`
    <label class="entry">
      <span>Role</span>
      <select name="target" @change=${withValue((target) => choose({ target }))}>
        ${targets.map(
          (each) =>
            html`<option value=${each} ?selected=${each === form.target}>
              ${targetName(each)}
            </option>`,
        )}
      </select>
    </label>
    <label class="entry">
      <span>Kind</span>
      <select name="kind" @change=${withValue((kind) => choose({ kind }))}>
        ${Object.entries(GROUPS).map(
          ([group, title]) => html`<optgroup label=${title}>
            ${kinds
              .filter((each) => each.group === group)
              .map(
                (each) =>
                  html`<option value=${idOf(each)} ?selected=${idOf(each) === form.kind}>
                    ${each.title}
                  </option>`,
              )}
          </optgroup>`,
        )}
      </select>
    </label>
  `;
}

/** Say what a kind needs that the role does not have. @param {PartKind | undefined} kind */
function lacking(kind) {
  if (kind?.group !== "gpio_mapping") return nothing;
  if (!kind.settings.some(({ name }) => name === "device")) return nothing;
  if (kind.settings.some(({ name }) => name === "pin")) return nothing;
  const driver = driverOf(kind.kind);
  if (devicesOf(form.target, driver).length) return nothing;
  const names = asGood(driver).join(" or ").toUpperCase();
  return html`<p class="notice is-quiet" data-lacking>
    ${targetName(form.target)} has no ${names} yet: add one first.
  </p>`;
}

/** Fill the form in for an address. @param {App} app @param {string} rest */
function begin(app, rest) {
  const place = `${rest} ${state.version}`;
  if (form.place === place) return;
  const [, target = "", what = "", where = ""] = rest.split("/");
  const isFree = !what;
  const withChip = (state.parts ?? []).find(
    (part) =>
      part.hardware.driver === "pca9685" &&
      (!target || part.target === target) &&
      freeChannel(state.parts ?? [], part.target, part.name) >= 0,
  );
  Object.assign(form, { place, name: "", refusal: "" });
  form.target = target || withChip?.target || (state.parts?.[0]?.target ?? "");
  form.kind = isFree && withChip ? "gpio_mapping pca9685" : "gpio_mapping servo";
  if (what === "i2c") {
    const [bus, address, named = ""] = where.split(":");
    const known = state.catalog ? kindsNamed(state.catalog, named) : [];
    form.kind = known[0] ? idOf(known[0]) : "i2c_devices pca9685";
    form.name = nameFor(known[0]?.kind ?? "chip");
    propose(app, { bus, address });
  } else propose(app, what === "pin" ? { pin: where } : {});
}

/** Return a name that the role has not used yet. @param {string} base */
function nameFor(base) {
  const used = new Set(
    (state.parts ?? []).filter((part) => part.target === form.target).map(({ name }) => name),
  );
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? base : `${base}_${count}`;
    if (!used.has(name)) return name;
  }
}

/** Propose a free place for the kind. @param {App} app @param {Record<string, string>} given */
function propose(app, given) {
  const { parts, catalog } = state;
  const kind = catalog?.kinds.find((each) => idOf(each) === form.kind);
  if (!parts || !catalog || !kind) return;
  form.draft = new Draft({ output: {}, hardware: {} }, { output: [], hardware: kind.settings });
  if (kind.group === "sound") {
    const [part] = neighbours(parts, form.target);
    const node = app.store.data.nodes?.nodes.find((each) => each.node_id === part?.node_id);
    form.name = kind.kind; // a role has one
    const [device] = kind.settings;
    form.draft.type("hardware", device.name, soundDevice(node?.peripherals ?? [], kind.kind));
    return;
  }
  if (catalog.kinds.some((each) => each.group === "sound" && each.kind === form.name))
    form.name = "";
  const has = (/** @type {string} */ name) => kind.settings.some((each) => each.name === name);
  const isPlaced = kind.group === "gpio_mapping";
  const hasChannels = has("channel");
  const device = devicesOf(form.target, driverOf(kind.kind)).find(
    ({ name }) => !hasChannels || freeChannel(parts, form.target, name) >= 0,
  );
  if (isPlaced && has("device") && !has("pin") && device) {
    form.draft.type("hardware", "device", device.name);
    const channel = freeChannel(parts, form.target, device.name);
    if (hasChannels) form.draft.type("hardware", "channel", String(channel));
  }
  const near = neighbours(parts, form.target);
  const free = freePins(catalog, near, PULSED.includes(kind.kind));
  let next = 0;
  for (const { name } of kind.settings.filter((each) => /^pin$|^pin_b$|_pin$/.test(each.name))) {
    if (isPlaced || name === "data_pin")
      form.draft.type("hardware", name, String(free[next++]?.bcm ?? ""));
  }
  if (has("bus")) form.draft.type("hardware", "bus", kind.group === "i2c_devices" ? "1" : "0");
  for (const [name, value] of Object.entries(given))
    if (has(name)) form.draft.type("hardware", name, value);
}

/** @param {App} app */
async function add(app) {
  const { target, name, draft } = form;
  const [group, kind] = form.kind.split(" ");
  const isDriven = Boolean(state.catalog?.kinds.find((each) => idOf(each) === form.kind)?.drives);
  const hardware = { [group === "gpio_mapping" ? "type" : "driver"]: kind };
  form.refusal = "";
  try {
    await state.change(
      app,
      (base) =>
        app.api.request("robot", "set_part", {
          target,
          name,
          hardware: { ...hardware, ...draft.changes("hardware") },
          base,
        }),
      isDriven,
    );
    app.router.go(`/parts/part/${target}/${name}`);
  } catch (err) {
    form.refusal = sentenceOf(err);
  }
  app.draw();
}
