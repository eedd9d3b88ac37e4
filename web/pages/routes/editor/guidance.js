// Filter, rate limit and conditions of one mapping, and the response of the filter to a step, which
// the router computes.

import { html, nothing, svg } from "/vendor/lit-html/lit-html.js";
import { inputName, quantity } from "../../../lib/format.js";
import { choiceEntry, numberEntry, numberOf, textEntry } from "../entry.js";
import { activeSources } from "../model.js";

/** @typedef {import("../model.js").Mapping} Mapping */
/** @typedef {import("./draft.js").Line} Line */
/** @typedef {import("./mapping-fields.js").MakeEntry} MakeEntry */
/** @typedef {(more: Partial<Mapping>) => void} Change */
/** @typedef {Mapping["only_while"][number]} Condition */
/** @typedef {import("../../../context.js").With<"store">} App */

const MOST_CONDITIONS = 4;
/** @type {Record<string, string>} */
const SAID = { rc: "RC transmitter", "livelink:*": "Any face or body" };
const FILTERS = { none: "None", low_pass: "Low-pass", one_euro: "One-euro (faces)" };
/** @type {Condition} */
const NEW_CONDITION = {
  source: "rc",
  input: "channel_7",
  above: 0.5,
  below: null,
  hysteresis: 0.05,
};

/** Describe filter and conditions in a few words. @param {Mapping} mapping */
export function filterText({ filter, cutoff_hz, rate_limit, only_while }) {
  const parts = [];
  if (filter === "low_pass") parts.push(`${cutoff_hz} Hz`);
  if (filter === "one_euro") parts.push(`one-euro ${cutoff_hz} Hz`);
  if (rate_limit !== null) parts.push(`${rate_limit}/s`);
  for (const { source, input, above, below } of only_while)
    if (!input) parts.push(`while ${source}`);
    else parts.push(`while ${inputName(input)} ${above === null ? `< ${below}` : `≥ ${above}`}`);
  return parts.join(", ");
}

/** @param {Mapping} mapping @param {MakeEntry} entry @param {Change} set */
export const filterFields = (mapping, entry, set) => html`
  <div class="map-row">
    ${choiceEntry(
      entry("filter", "Filter"),
      mapping.filter,
      /** @type {[Mapping["filter"], string][]} */ (Object.entries(FILTERS)),
      (filter) => set({ filter }),
    )}
    ${
      mapping.filter === "none"
        ? nothing
        : numberEntry(
            entry("cutoff_hz", mapping.filter === "one_euro" ? "At rest, Hz" : "Cut-off, Hz"),
            mapping.cutoff_hz,
            (value) => set({ cutoff_hz: numberOf(value) }),
            { min: 0.05, max: 50 },
          )
    }
    ${
      mapping.filter === "one_euro"
        ? html`${numberEntry(
            entry("beta", "Beta, Hz"),
            mapping.beta,
            (value) => set({ beta: numberOf(value) }),
            { min: 0, max: 1000 },
          )}
          ${numberEntry(
            entry("derivative_hz", "Speed, Hz"),
            mapping.derivative_hz,
            (value) => set({ derivative_hz: numberOf(value) }),
            { min: 0.05, max: 50 },
          )}`
        : nothing
    }
    ${numberEntry(
      entry("rate_limit", "Rate limit, unit/s"),
      mapping.rate_limit,
      (value) => set({ rate_limit: value === "" ? null : value }),
      { placeholder: "field's" },
    )}
  </div>
`;

/** Plot how the output follows a step of the input. @param {Line} line */
export function responsePlot({ response, limits: [low, high], unit }) {
  const [width, height, edge] = [180, 60, 5];
  const [first, last] = [response[0], response[response.length - 1]];
  const near = first[1] + 0.9 * (last[1] - first[1]);
  const rises = last[1] >= first[1];
  const there = response.find(([, y]) => (rises ? y >= near : y <= near)) ?? last;
  const points = response
    .map(([at, y]) => {
      const x = edge + (at / (last[0] || 1)) * (width - 2 * edge);
      const up = (y - low) / (high - low || 1);
      return `${x.toFixed(1)},${(height - edge - up * (height - 2 * edge)).toFixed(1)}`;
    })
    .join(" ");
  return html`
    <figure class="curve map-response" data-response>
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Response to a step">
        ${svg`<polyline class="curve-line" points=${points}/>`}
      </svg>
      <figcaption class="quiet">
        Step to ${quantity(last[1], unit)}: 90 % after ${Math.round(there[0])} ms
      </figcaption>
    </figure>
  `;
}

/**
 * @param {App} app
 * @param {Mapping} mapping
 * @param {MakeEntry} entry
 * @param {(change: (list: Condition[]) => Condition[]) => void} edit changes the conditions of the
 *   draft, which may be newer than those that are drawn
 * @param {string} wrong
 */
export function conditions(app, mapping, entry, edit, wrong) {
  const list = mapping.only_while;
  const change = (/** @type {number} */ index, /** @type {Partial<Condition>} */ more) =>
    edit((now) => now.map((each, at) => (at === index ? { ...each, ...more } : each)));
  const remove = (/** @type {number} */ index) =>
    edit((now) => now.filter((_, at) => at !== index));
  return html`
    ${list.map((each, index) => condition(app, each, index, entry, change, remove))}
    ${wrong ? html`<p class="refusal">${wrong}</p>` : nothing}
    ${
      list.length < MOST_CONDITIONS
        ? html`<button
            class="button plain small map-add"
            type="button"
            data-add-condition
            @click=${() => edit((now) => [...now, NEW_CONDITION])}
          >
            Add condition
          </button>`
        : nothing
    }
  `;
}

/** @param {Condition} condition */
const kindOf = ({ input, above }) => (input ? (above === null ? "below" : "above") : "live");

/**
 * @param {App} app
 * @param {Condition} each
 * @param {number} index
 * @param {MakeEntry} entry
 * @param {(index: number, more: Partial<Condition>) => void} change
 * @param {(index: number) => void} remove
 */
function condition(app, each, index, entry, change, remove) {
  const place = (/** @type {string} */ name, /** @type {string} */ label) =>
    entry(`only_while[${index}].${name}`, label);
  const kind = kindOf(each);
  const level = each.above ?? each.below ?? 0.5;
  const choose = (/** @type {string} */ wanted) =>
    change(index, {
      input: wanted === "live" ? "" : each.input || "channel_7",
      above: wanted === "above" ? level : null,
      below: wanted === "below" ? level : null,
    });
  const put = (/** @type {number | ""} */ value) => change(index, { [kind]: numberOf(value) });
  return html`
    <div class="map-row" data-condition=${index}>
      ${choiceEntry(
        place("source", "Only while"),
        each.source,
        sources(app, each.source),
        (source) => change(index, { source }),
      )}
      ${
        kind === "live"
          ? nothing
          : textEntry(place("input", "Input"), each.input, (input) => change(index, { input }))
      }
      ${choiceEntry(
        place("kind", "Is"),
        kind,
        [
          ["above", "at or above"],
          ["below", "below"],
          ["live", "seen"],
        ],
        choose,
      )}
      ${
        kind === "live"
          ? nothing
          : html`${numberEntry(place(kind, "Threshold"), level, put)}
            ${numberEntry(
              place("hysteresis", "Hysteresis"),
              each.hysteresis,
              (value) => change(index, { hysteresis: numberOf(value) }),
              { min: 0 },
            )}`
      }
      <button
        class="button plain small"
        type="button"
        data-remove-condition
        @click=${() => remove(index)}
      >
        Remove<span class="hidden"> condition ${index + 1}</span>
      </button>
    </div>
  `;
}

/**
 * Return the sources that may decide.
 * @param {App} app
 * @param {string} now
 * @returns {[string, string][]}
 */
function sources(app, now) {
  const found = activeSources(app.store.data.inputs).map(({ name }) => name);
  const names = new Set(["rc", "livelink:*", ...found, now]);
  return [...names].map((name) => [name, SAID[name] ?? name]);
}
