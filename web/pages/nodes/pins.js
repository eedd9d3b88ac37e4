// The 40-pin header: function and use of each pin, in two columns as on the board and in one column
// on a phone. Not here: requests to the node (watch.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { words } from "../../lib/format.js";

/** @typedef {import("../../context.js").With<"draw" | "robot">} App */
/** @typedef {import("../../lib/types.js").HeaderPinState} Pin */
/** @typedef {import("../../lib/types.js").PinUse} Use */

/** Sign and legend text by kind of pin. @type {Record<string, [string, string]>} */
const KINDS = {
  power: ["+", "Power"],
  ground: ["G", "Ground"],
  i2c: ["I", "I2C"],
  spi: ["S", "SPI"],
  uart: ["U", "Serial"],
  pwm: ["P", "PWM"],
  output: ["O", "Output"],
  input: ["N", "Input"],
  free: ["", "Free"],
};
const PER_ROW = 2;
/** @type {Record<string, number>} */
const STEPS = {
  ArrowUp: -PER_ROW,
  ArrowDown: PER_ROW,
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -40,
  End: 40,
};

/**
 * Return the uses of each pin by these targets.
 * @param {App} app @param {string[]} targets
 * @returns {Map<number, Use[]>} by BCM number
 */
export function usesOf(app, targets) {
  const found = new Map();
  for (const target of targets) {
    for (const use of app.robot?.hardware?.[target]?.pins ?? []) {
      found.set(use.bcm, [...(found.get(use.bcm) ?? []), use]);
    }
  }
  return found;
}

/**
 * @param {App} app
 * @param {import("./watch.js").NodeWatch} watch stores the selected pin
 * @param {Pin[]} pins in the order of the header
 * @param {Map<number, Use[]>} uses
 * @param {boolean} isPlan the uses are of a role that is not active yet
 * @param {(pin: Pin) => unknown} [tool] what can be done with the selected pin
 */
export function header(app, watch, pins, uses, isPlan, tool) {
  const focused = watch.pin || 1;
  return html`
    <div class="pins-board ${watch.areAllPinsShown ? "" : "is-short"}">
      <ol
        class="pins"
        aria-label="Pins of the header"
        @keydown=${(/** @type {KeyboardEvent} */ e) => move(app, watch, e)}
      >
        ${pins.map((pin) =>
          row(app, watch, pin, uses.get(pin.pin_number) ?? [], isPlan, pin.number === focused),
        )}
      </ol>
      <button
        class="button small pins-more"
        type="button"
        aria-expanded=${watch.areAllPinsShown}
        @click=${() => ((watch.areAllPinsShown = !watch.areAllPinsShown), app.draw())}
      >
        ${watch.areAllPinsShown ? "Show used pins" : "Show all 40 pins"}
      </button>
      ${details(pins[watch.pin - 1], uses, isPlan, tool)} ${legend}
    </div>
  `;
}

/**
 * @param {App} app
 * @param {import("./watch.js").NodeWatch} watch
 * @param {Pin} pin
 * @param {Use[]} uses
 * @param {boolean} isPlan
 * @param {boolean} isFocused
 */
function row(app, watch, pin, uses, isPlan, isFocused) {
  const kind = kindOf(pin, uses);
  const look = () => watch.pin !== pin.number && ((watch.pin = pin.number), app.draw());
  // A press keeps the pin, so that the pointer reaches its tool across other pins.
  const hover = () => !watch.isPinKept && look();
  const press = () => {
    watch.isPinKept = watch.pin !== pin.number || !watch.isPinKept;
    watch.pin = pin.number;
    app.draw();
  };
  const isSupply = kind === "power" || kind === "ground";
  const isIdle = isSupply || (!pin.in_use && !uses.length);
  return html`
    <li class=${isIdle ? "is-idle" : ""}>
      <button
        class="gpio is-${kind}
          ${isIdle && !isSupply ? "is-unused" : ""}
          ${isClash(pin, uses, isPlan) ? "is-clash" : ""}"
        type="button"
        data-pin=${pin.number}
        aria-pressed=${watch.pin === pin.number}
        tabindex=${isFocused ? 0 : -1}
        @focus=${hover}
        @pointerenter=${hover}
        @click=${press}
      >
        <span class="pin-number" aria-hidden="true">${pin.number}</span>
        <span class="pin-sign" aria-hidden="true">${KINDS[kind][0]}</span>
        <span class="pin-text">
          <span class="hidden">Pin ${pin.number}: </span>
          <b>${pin.pin_name}</b>
          <span>${summary(pin, uses, isPlan)}</span>
        </span>
      </button>
    </li>
  `;
}

/** @param {App} app @param {import("./watch.js").NodeWatch} watch @param {KeyboardEvent} event */
function move(app, watch, event) {
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  const to = Math.min(40, Math.max(1, (watch.pin || 1) + step));
  const list = /** @type {HTMLElement} */ (event.currentTarget);
  const target = /** @type {HTMLElement | null} */ (list.querySelector(`[data-pin="${to}"]`));
  if (!target || target.offsetParent === null) return; // hidden in the short list
  watch.pin = to;
  watch.isPinKept = false;
  target.focus();
  app.draw();
}

/** @param {Pin} pin @param {Use[]} uses */
function kindOf(pin, uses) {
  const { direction } = pin;
  if (direction === "power" || direction === "ground" || direction === "pwm") return direction;
  const planned = kindOfUse(uses[0]);
  if (!pin.in_use && planned) return planned;
  if (["i2c", "spi", "uart"].includes(direction)) return direction;
  if (direction === "output") return "output";
  return pin.in_use || uses.length ? "input" : "free";
}

/** @param {Use | undefined} use */
function kindOfUse(use) {
  if (!use) return "";
  if (use.is_bus) return use.purpose.slice(0, 3).toLowerCase().replace("uar", "uart");
  if (/PWM|servo/.test(use.purpose)) return "pwm";
  return /encoder|button/.test(use.purpose) ? "input" : "output";
}

/**
 * Whether another program uses a pin that the role needs.
 * @param {Pin} pin
 * @param {Use[]} uses
 * @param {boolean} isPlan
 */
function isClash(pin, uses, isPlan) {
  const wanted = uses.filter((use) => !use.is_bus);
  if (!isPlan || !wanted.length || !pin.in_use) return false;
  return pin.used_by !== "reset button" && !wanted.some((use) => use.name === pin.used_by);
}

/** @param {Pin} pin @param {Use[]} uses @param {boolean} isPlan */
function summary(pin, uses, isPlan) {
  if (pin.direction === "power" || pin.direction === "ground") return "";
  const what = uses.map(useWords).join("; ");
  if (isClash(pin, uses, isPlan)) return `${what}: in use by ${pin.used_by || "another program"}`;
  if (isPlan && what) return what;
  const state = stateWord(pin);
  if (what) return state ? `${what} · ${state}` : what;
  if (pin.in_use) return [words(pin.used_by || "in use"), state].filter(Boolean).join(" · ");
  return pin.direction === "input" ? "" : (pin.alternates[0] ?? pin.direction);
}

/** Return "Pan, servo", or the name alone if it contains the purpose. @param {Use} use */
function useWords({ name, purpose }) {
  const [first, ...rest] = purpose.split(" ");
  const title = words(name);
  return title.toLowerCase().includes(first.toLowerCase())
    ? [title, ...rest].join(" ")
    : `${title}, ${purpose}`;
}

/** @param {Pin} pin */
function stateWord(pin) {
  const { current_state: state } = pin;
  if (state.startsWith("pwm_")) return `PWM ${state.slice(4)} %`;
  return state === "unknown" ? "" : state;
}

/**
 * @param {Pin | undefined} pin @param {Map<number, Use[]>} uses @param {boolean} isPlan
 * @param {((pin: Pin) => unknown) | undefined} tool
 */
function details(pin, uses, isPlan, tool) {
  if (!pin)
    return html`<p class="pins-detail quiet">
      Select a pin${tool ? ": what it can do, what holds it, what to put there" : " for details"}.
    </p>`;
  const used = uses.get(pin.pin_number) ?? [];
  const isPower = pin.direction === "power" || pin.direction === "ground";
  const state = stateWord(pin) || "level unknown";
  const facts = [
    ["Position", `header pin ${pin.number}${pin.pin_number < 40 ? `, BCM ${pin.pin_number}` : ""}`],
    [
      "Now",
      isPower
        ? pin.direction === "power"
          ? "supply"
          : "ground"
        : `${words(pin.direction)}, ${state}`,
    ],
    ["Used by", pin.in_use ? pin.used_by || "another program" : isPower ? "" : "none"],
    [isPlan ? "Role needs" : "Role uses", used.map(useWords).join("; ")],
    ["Alternatives", pin.alternates.join(", ")],
  ];
  return html`
    <div class="pins-detail" data-pin-detail role="status">
      <h3>${pin.pin_name}</h3>
      <dl class="facts-list">
        ${facts.map(([name, text]) => (text ? html`<dt>${name}</dt><dd>${text}</dd>` : nothing))}
      </dl>
      ${tool?.(pin) ?? nothing}
    </div>
  `;
}

const legend = html`
  <ul class="pins-legend" aria-label="Legend of the pins">
    ${Object.entries(KINDS).map(
      ([kind, [sign, text]]) =>
        html`<li class="is-${kind}"><i class="pin-sign">${sign}</i>${text}</li>`,
    )}
  </ul>
`;
