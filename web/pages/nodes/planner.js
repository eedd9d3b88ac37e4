// The pin planner of a node: what a pin can do, which part holds it, and which part to put there.
// Not here: drawing the header (pins.js), the settings of a part (pages/parts).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { rolesOf, targetOf } from "../../lib/robot/nodes.js";
import { abilities, addressOf, atPin, kindsNamed, unusedChips } from "../../lib/robot/parts.js";
import { askConfirmation } from "../../parts/confirm.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").HeaderPinState} Pin */
/** @typedef {import("../../lib/types.js").NodeInfo} NodeInfo */
/** @typedef {import("../../lib/types.js").Peripheral} Peripheral */
/** @typedef {import("../../lib/types.js").PinUse} Use */
/** @typedef {import("../../lib/types.js").RobotCatalog} RobotCatalog */
/** @typedef {import("../../lib/types.js").RobotPart} RobotPart */

export class Planner {
  /** @type {RobotPart[] | null} */ #parts = null;
  /** @type {RobotCatalog | null} */ #catalog = null;
  #version = 0;
  /** Why the parts are not known. */ problem = "";

  /** @param {App} app */
  async load(app) {
    if (app.api.state !== "open") return;
    try {
      const [{ parts, version }, catalog] = await Promise.all([
        app.api.request("robot", "parts"),
        this.#catalog ?? app.api.request("robot", "catalog"),
      ]);
      this.#parts = parts;
      this.#version = version;
      this.#catalog = catalog;
      this.problem = "";
    } catch (err) {
      this.problem = sentenceOf(err);
    }
    app.draw();
  }

  /** Return the parts of a node's roles; null until they are known. @param {NodeInfo} node */
  partsOf(node) {
    const targets = rolesOf(node).map(targetOf);
    return this.#parts?.filter((part) => targets.includes(part.target)) ?? null;
  }

  /**
   * Return the uses of each pin by the robot in force, also of parts that were changed just now.
   * @param {NodeInfo} node @returns {Map<number, Use[]> | null}
   */
  usesOf(node) {
    const parts = this.partsOf(node);
    if (!parts) return null;
    /** @type {Map<number, Use[]>} */ const found = new Map();
    for (const use of parts.flatMap((part) => part.pins)) {
      const known = found.get(use.bcm) ?? [];
      const isKnown = known.some((each) => each.name === use.name && each.purpose === use.purpose);
      if (!isKnown) found.set(use.bcm, [...known, use]);
    }
    return found;
  }

  /** Return the tool for one pin. @param {App} app @param {NodeInfo} node @param {Pin} pin */
  tool(app, node, pin) {
    const parts = this.partsOf(node);
    if (!parts || !this.#catalog || pin.direction === "power" || pin.direction === "ground")
      return nothing;
    const holders = atPin(parts, pin.pin_number);
    const isFree = !holders.length;
    return html`
      <p class="pin-can" data-can>${abilities(pin).join(" · ")}</p>
      ${
        holders.length
          ? html`<p data-held>
            Held by
            ${holders.map(
              (part, index) =>
                html`${index ? ", " : ""}<a href=${addressOf(part)}>${words(part.name)}</a> of
                  ${targetName(part.target).toLowerCase()}`,
            )}
          </p>`
          : nothing
      }
      ${isFree && isAdmin(app) ? this.#choices(app, node, parts, pin) : nothing}
    `;
  }

  /** @param {App} app @param {NodeInfo} node @param {RobotPart[]} parts @param {Pin} pin */
  #choices(app, node, parts, pin) {
    const movable = parts.filter((part) => typeof part.hardware.pin === "number");
    const targets = rolesOf(node).map(targetOf);
    return html`
      <div class="pin-choices" role="group" aria-label="Put a part on ${pin.pin_name}">
        ${targets.map(
          (target) => html`
            <a
              class="button small primary"
              data-add-here=${target}
              href="/parts/add/${target}/pin/${pin.pin_number}"
            >Add a part here${
              targets.length > 1 ? ` to ${targetName(target).toLowerCase()}` : ""
            }</a>
          `,
        )}
        ${movable.map(
          (part) => html`
            <button
              class="button small"
              type="button"
              data-move=${part.name}
              @click=${() => this.#askMove(app, part, pin)}
            >
              Move ${words(part.name).toLowerCase()} here
            </button>
          `,
        )}
      </div>
    `;
  }

  /** @param {App} app @param {RobotPart} part @param {Pin} pin */
  #askMove(app, part, pin) {
    const { target, name } = part;
    askConfirmation(app, {
      title: `Move ${words(name).toLowerCase()} to ${pin.pin_name}?`,
      text: `It is on ${part.place}. ${targetName(target)} opens its drivers again when its outputs
        are safe. Connect the signal wire to header pin ${pin.number}.`,
      verb: `Move it to ${pin.pin_name}`,
      said: `${words(name)} is on ${pin.pin_name} now.`,
      work: async () => {
        const hardware = { pin: pin.pin_number };
        const note = `${target}.${name} to ${pin.pin_name}`;
        const base = this.#version;
        await app.api.request("robot", "set_part", { target, name, hardware, note, base });
        await this.load(app);
      },
    });
  }

  /**
   * Return the link that makes a part of a chip that was found and that no part uses.
   * @param {App} app @param {NodeInfo} node @param {Peripheral} chip
   */
  use(app, node, chip) {
    const parts = this.partsOf(node);
    const [held] = rolesOf(node);
    if (!parts || !held || !this.#catalog || !isAdmin(app)) return nothing;
    if (!unusedChips([chip], parts).length) return nothing;
    const kind = kindsNamed(this.#catalog, chip.description)[0]?.kind ?? "";
    return html`<a
      class="button small"
      data-use=${chip.address}
      href="/parts/add/${targetOf(held)}/i2c/${chip.address}:${kind}"
    >Use it</a>`;
  }
}
