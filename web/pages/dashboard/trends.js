// Charts of the robot's values over the last minutes or hours.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed } from "../../lib/format.js";
import { chart } from "../../parts/chart.js";
import { fold } from "../../parts/fold.js";
import { TrendHistory } from "./history.js";

/** @typedef {import("../../context.js").With<"api" | "draw">} App */
/**
 * @typedef {{name: import("./history.js").Name, title: string, unit: string, colour: string}}
 * Series
 */

export const history = new TrendHistory();

/** @type {{title: string, range: [number, number] | null, lines: Series[]}[]} */
const CHARTS = [
  {
    title: "Server load",
    range: [0, 100],
    lines: [
      { name: "cpu_usage", title: "CPU", unit: "%", colour: "--accent" },
      { name: "memory_usage", title: "Memory", unit: "%", colour: "--busy" },
    ],
  },
  {
    title: "Server temperature",
    range: [20, 90],
    lines: [{ name: "cpu_temp", title: "CPU", unit: "°C", colour: "--warn" }],
  },
  {
    title: "Inputs",
    range: null,
    lines: [
      { name: "rc_hz", title: "RC", unit: "/s", colour: "--accent" },
      { name: "livelink_hz", title: "LiveLink", unit: "/s", colour: "--busy" },
    ],
  },
  {
    title: "Delay",
    range: null,
    lines: [
      { name: "command_age_ms", title: "Command", unit: "ms", colour: "--accent" },
      { name: "delay_ms", title: "Server", unit: "ms", colour: "--warn" },
    ],
  },
];
const SPANS = /** @type {const} */ ({ minutes: "10 min", hours: "6 h" });

/** @param {App} app */
export function trends(app) {
  return html`
    <section class="trends" aria-labelledby="trends-title">
      ${fold(app, "trends-title", "History", "load, temperature, inputs, delay", () => charts(app))}
    </section>
  `;
}

/** @param {App} app */
const charts = (app) => html`
  <div class="segments trend-span" role="radiogroup" aria-label="Time span">
    ${
      /** @type {["minutes" | "hours", string][]} */ (Object.entries(SPANS)).map(
        ([span, title]) => html`
          <label>
            <input
              type="radio"
              name="span"
              value=${span}
              .checked=${history.span === span}
              @change=${() => history.choose(app, span)}
            >
            <span>${title}</span>
          </label>
        `,
      )
    }
  </div>
  ${
    history.failure && !history.isKnown
      ? html`<p class="notice">Loading the history failed: ${history.failure}</p>`
      : html`<div class="trend-grid">${CHARTS.map((each) => card(each))}</div>`
  }
`;

/**
 * Data last passed to uPlot, which redraws only for new data.
 * @type {Map<string, import("../../parts/chart.js").ChartData>}
 */
const drawn = new Map();

/** @param {{title: string, range: [number, number] | null, lines: Series[]}} which */
function card({ title, range, lines }) {
  const before = drawn.get(title);
  const data =
    before?.times === history.times
      ? before
      : { times: history.times, values: lines.map(({ name }) => history.series[name] ?? []) };
  drawn.set(title, data);
  return html`
    <figure class="card trend" data-trend=${lines[0].name}>
      <figcaption>
        <b>${title}</b>
        <span class="trend-values">${lines.map((line, at) => legend(line, at))}</span>
      </figcaption>
      <div
        class="chart"
        role="img"
        aria-label=${inWords(title, lines)}
        ${chart(lines, data, range)}
      ></div>
      ${
        history.isKnown && !history.times.length
          ? html`<p class="quiet">No points yet.</p>`
          : nothing
      }
    </figure>
  `;
}

/** @param {Series} line @param {number} at */
const legend = (line, at) => html`
  <span class="trend-value">
    <i class="stroke stroke-${at} ${line.colour.slice(2)}"></i>${line.title}
    <b>${reading(history.newest(line.name), line.unit)}</b>
  </span>
`;

/** @param {number | null} value @param {string} unit */
const reading = (value, unit) =>
  value === null ? "–" : `${fixed(value, value < 10 && unit === "ms" ? 1 : 0)} ${unit}`;

/** Describe a chart for screen readers. @param {string} title @param {Series[]} lines */
function inWords(title, lines) {
  const ranges = lines.map(({ name, title: of, unit }) => {
    const known = (history.series[name] ?? []).filter((value) => value !== null);
    if (!known.length) return `${of}: no values`;
    const [low, high] = [Math.min(...known), Math.max(...known)];
    return `${of} between ${reading(low, unit)} and ${reading(high, unit)}`;
  });
  return `${title}, last ${SPANS[history.span]}. ${ranges.join("; ")}.`;
}
