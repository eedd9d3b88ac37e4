// Parts of the robot and the places that they may have: pins, channels, addresses. Pure.

/** @typedef {import("../types.js").HeaderPlace} HeaderPlace */
/** @typedef {import("../types.js").PartKind} PartKind */
/** @typedef {import("../types.js").PartSetting} PartSetting */
/** @typedef {import("../types.js").Peripheral} Peripheral */
/** @typedef {import("../types.js").RobotCatalog} RobotCatalog */
/** @typedef {import("../types.js").RobotPart} RobotPart */

const CHANNELS = 16; // of a PCA9685

/** "head.pan" @param {{target: string, name: string}} part */
export const keyOf = ({ target, name }) => `${target}.${name}`;

/** @param {{target: string, name: string}} part */
export const addressOf = ({ target, name }) => `/parts/part/${target}/${name}`;

/** "-90 to 90 deg"; empty for what nothing drives. @param {RobotPart} part */
export function rangeOf({ limits, unit }) {
  if (limits.length < 2) return "";
  const shown = unit === "mode" ? "" : ` ${unit}`; // the number of a state, with a name each
  return limits.map((each) => String(each).replace("-", "\u2212")).join(" to ") + shown;
}

/**
 * Return the kind of a part as the catalog has it. A name may be of a servo and of its chip.
 * @param {RobotCatalog} catalog
 * @param {RobotPart} part
 */
export function kindOf(catalog, { kind, hardware }) {
  const isDevice = "driver" in hardware;
  return catalog.kinds.find(
    (each) => each.kind === kind && (each.group !== "gpio_mapping") === isDevice,
  );
}

/** The parts on the same node, or of the same role while no node holds it.
 * @param {RobotPart[]} parts @param {string} target
 */
export function neighbours(parts, target) {
  const node = parts.find((part) => part.target === target)?.node_id;
  return parts.filter((part) => (node ? part.node_id === node : part.target === target));
}

/** Return the parts at a pin. @param {RobotPart[]} parts @param {number} bcm */
export const atPin = (parts, bcm) =>
  parts.filter((part) => part.pins.some((use) => use.bcm === bcm));

/**
 * Return the part at a channel of a device.
 * @param {RobotPart[]} parts @param {string} target @param {string} device @param {number} channel
 */
export const atChannel = (parts, target, device, channel) =>
  parts.find(
    (part) =>
      part.target === target &&
      part.hardware.device === device &&
      part.hardware.channel === channel &&
      !part.kind.endsWith("encoder"),
  );

/** Return the first free channel of a device, or -1.
 * @param {RobotPart[]} parts @param {string} target @param {string} device
 */
export function freeChannel(parts, target, device) {
  const chip = parts.find((part) => part.target === target && part.name === device);
  const all =
    chip?.kind === "roboclaw" ? [1, 2] : Array.from({ length: CHANNELS }, (_, index) => index);
  return all.find((channel) => !atChannel(parts, target, device, channel)) ?? -1;
}

/** Functions that a pin has beside GPIO. @type {[RegExp, (found: string[]) => string][]} */
const FUNCTIONS = [
  [/^PWM(\d)$/, ([, channel]) => `hardware PWM, channel ${channel}`],
  [/^(I2C\d SD[A]|I2C\d SCL)$/, ([, line]) => line],
  [/^(SPI\d \w+)$/, ([, line]) => line],
  [/^(UART\d \w+)$/, ([, line]) => `serial, ${line}`],
];

/** Say what a pin can do. @param {{function?: string, alternates: string[]}} pin */
export function abilities({ alternates }) {
  const found = alternates.flatMap((name) =>
    FUNCTIONS.flatMap(([pattern, text]) => {
      const match = pattern.exec(name);
      return match ? [text(match)] : [];
    }),
  );
  return ["GPIO in and out", ...found];
}

/**
 * Return the pins that a part of this kind may have, free ones first in a good order: hardware PWM
 * for servos, others elsewhere.
 * @param {RobotCatalog} catalog @param {RobotPart[]} near @param {boolean} isPulsed
 */
export function freePins(catalog, near, isPulsed) {
  const free = catalog.header.filter(
    (pin) => pin.bcm !== null && pin.bcm > 1 && !atPin(near, pin.bcm).length,
  );
  /** @param {HeaderPlace} pin */
  const rank = (pin) => {
    if (isPulsed) return pin.alternates.some((name) => /^PWM\d$/.test(name)) ? 0 : 2;
    return pin.alternates.length ? 2 : 0; // leave buses and PWM to what needs them
  };
  return free.sort((a, b) => rank(a) - rank(b) || (a.bcm ?? 0) - (b.bcm ?? 0));
}

/** @param {RobotCatalog} catalog @param {number} bcm */
export const placeOf = (catalog, bcm) => catalog.header.find((pin) => pin.bcm === bcm);

/** "0x41" @param {unknown} address */
export const hex = (address) => `0x${Number(address).toString(16).padStart(2, "0")}`;

/**
 * Return the chips that a node has found and no part uses.
 * @param {Peripheral[]} found @param {RobotPart[]} parts of the node
 */
export function unusedChips(found, parts) {
  const used = new Set(
    parts
      .filter((part) => "address" in part.hardware && "bus" in part.hardware)
      .map((part) => `${part.hardware.bus}:${hex(part.hardware.address)}`),
  );
  return found
    .filter((each) => each.type === "i2c" && each.responsive && /:0x/.test(each.address))
    .filter((each) => !used.has(each.address));
}

/**
 * Return ALSA's name of the first sound card that has a microphone, or a loudspeaker.
 * @param {Peripheral[]} found @param {string} kind
 */
export function soundDevice(found, kind) {
  const card = found.find((each) => each.type === "sound" && each.description.includes(kind));
  return card ? `plughw:CARD=${card.address.replace(/^\d+:/, "")}` : "default";
}

/**
 * Return the kinds of chips that a description names.
 * @param {RobotCatalog} catalog
 * @param {string} text
 */
export const kindsNamed = (catalog, text) =>
  catalog.kinds.filter(
    ({ kind, group }) => group === "i2c_devices" && text.toLowerCase().includes(kind),
  );
