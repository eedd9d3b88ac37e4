// The wires of a part: where each goes, and its colour by convention. Pure.

import { placeOf } from "./parts.js";

/** @typedef {import("../types.js").RobotCatalog} RobotCatalog */
/** @typedef {import("../types.js").RobotPart} RobotPart */

/**
 * @typedef {object} Wire
 * @property {string} what "Signal", "SDA"
 * @property {string} to "pin 32 (GPIO12)"
 * @property {string} colour
 * @property {"signal" | "supply" | "ground"} kind
 */

/** Colours of hobby servos and of I2C cables; supply is red and ground black everywhere. */
const SIGNAL = "orange";
/** @type {Record<string, string>} */
const SIGNALS = { servo: "Signal", button: "Signal" };
const BUS = { SDA: "blue", SCL: "yellow" };

/** @type {Wire} */
const GROUND = { what: "Ground", to: "a GND pin", colour: "black", kind: "ground" };

/** @param {string} text */
const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** @param {RobotCatalog} catalog @param {number} bcm */
function pinText(catalog, bcm) {
  const place = placeOf(catalog, bcm);
  return place ? `pin ${place.number} (${place.name})` : `GPIO${bcm}`;
}

/** @param {RobotCatalog} catalog @param {RobotPart} part @returns {Wire[]} */
export function wiresOf(catalog, part) {
  const { hardware, kind } = part;
  if (!kind) return [];
  if (hardware.device !== undefined && hardware.channel !== undefined)
    return [
      {
        what: "Signal",
        to: `channel ${hardware.channel} of ${hardware.device}`,
        colour: kind === "roboclaw" ? "motor wires" : SIGNAL,
        kind: "signal",
      },
      ...(kind === "roboclaw" ? [] : power("the chip's V+", "brown or black")),
    ];
  const lines = part.pins.map((use) => ({
    what: use.is_bus ? use.purpose : (SIGNALS[use.purpose] ?? capitalized(use.purpose)),
    to: pinText(catalog, use.bcm),
    colour: colourOf(use.purpose),
    kind: /** @type {const} */ ("signal"),
  }));
  if (kind === "ws2812") {
    const data = lines.filter(({ what }) => what.endsWith("MOSI"));
    return [...data, ...power("5 V supply, not the Pi", "black")];
  }
  if (kind === "quadrature") return [...lines, ...power("pin 1 (3V3)", "black")];
  if ("bus" in hardware) return [...lines, ...power("pin 1 (3V3)", "black")];
  if (kind === "servo") return [...lines, ...power("servo supply, not the Pi", "brown or black")];
  if (kind === "button") return [...lines, GROUND];
  return [...lines, ...power("the driver's logic supply", "black")];
}

/** @param {string} supply @param {string} ground @returns {Wire[]} */
const power = (supply, ground) => [
  { what: "Supply", to: supply, colour: "red", kind: "supply" },
  { ...GROUND, colour: ground },
];

/** @param {string} purpose */
function colourOf(purpose) {
  const line = /** @type {keyof typeof BUS} */ (purpose.split(" ").at(-1));
  return BUS[line] ?? SIGNAL;
}
