// The left side of the diagram: sources with their values, each of which can be dragged to an
// output.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed, inputName, sourceName } from "../../../lib/format.js";
import { bar } from "../../../parts/bar.js";
import { reading } from "../../../parts/live.js";
import { ANY, properties } from "../model.js";
import { isFolded, toggleFold, view } from "../view.js";
import { port } from "./wires.js";

const SELECTED = "selected; select an output, or press again to cancel";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "robot" |
 *   "router" | "store" | "toasts">} App
 */
/** @typedef {import("../model.js").Source} Source */

/** @param {App} app @param {Source} source @param {import("../model.js").RouteInfo[]} routes */
export function inputCard(app, source, routes) {
  const { used, all } = properties(source, routes);
  const card = port.source(source.name);
  const isShut = isFolded(card);
  const isWide = view.wide.has(source.name) || !used.length;
  const rows = isShut ? [] : isWide ? all : used;
  const id = `source-${source.name.replace(/\W+/g, "-")}`;
  return html`
    <section
      class="card flow-card"
      data-source=${source.name}
      ?data-stale=${!source.isAlive}
      aria-labelledby=${id}
    >
      <header data-port=${card}>
        <h4 id=${id}>${fold(app, card, sourceTitle(source))}</h4>
        ${sign(source)}<i class="pin" aria-hidden="true"></i>
      </header>
      <ul>
        ${repeat(
          rows,
          (name) => name,
          (name) => html`<li>${row(app, source, name)}</li>`,
        )}
      </ul>
      ${
        isShut || !used.length || all.length === used.length
          ? nothing
          : more(app, source, all.length)
      }
    </section>
  `;
}

/** @param {Pick<Source, "kind" | "subject" | "name">} source */
export function sourceTitle(source) {
  if (source.subject !== ANY) return sourceName(source.name);
  /** @type {Partial<Record<Source["kind"], string>>} */
  const any = {
    livelink: "LiveLink, any subject",
    rc: "Any receiver",
    websocket: "Any client",
    autonomous: "Any program",
  };
  return any[source.kind] ?? `Any ${source.kind}`;
}

/** @param {App} app @param {string} card @param {string} title */
export function fold(app, card, title) {
  const toggle = () => (toggleFold(card), app.draw());
  return html`
    <button class="flow-fold" type="button" aria-expanded=${!isFolded(card)} @click=${toggle}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d="M3 4.5 6 7.5 9 4.5"/></svg>${title}
    </button>
  `;
}

/** @param {Source} source */
function sign(source) {
  if (!source.isReporting) return html`<span class="chip warn"><i class="dot"></i>No data</span>`;
  if (source.isFailsafe) return html`<span class="chip bad"><i class="dot"></i>Failsafe</span>`;
  if (!source.isAlive) return html`<span class="chip warn"><i class="dot"></i>Lost</span>`;
  return html`<span class="chip good"><i class="dot"></i>${fixed(source.rateHz, 0)} Hz</span>`;
}

/** @param {App} app @param {Source} source @param {string} name */
function row(app, source, name) {
  const input = { source: source.name, name };
  const { pick } = view;
  const isChosen = pick.input?.source === source.name && pick.input.name === name;
  const value = source.values[name];
  const most = name.includes(".") ? 180 : 1; // bones are in degrees
  return html`
    <button
      class="flow-row"
      type="button"
      data-port=${port.input(source.name, name)}
      data-input=${`${source.name} ${name}`}
      aria-pressed=${isChosen}
      aria-label=${`${inputName(name)}: ${isChosen ? SELECTED : "select for a mapping"}`}
      @pointerdown=${(/** @type {PointerEvent} */ event) => pick.down(app, input, event)}
      @click=${() => pick.select(app, input)}
    >
      <span class="flow-name">${inputName(name)}</span>
      <span class="track thin both"><i ${bar(value, -most, most)}></i></span>
      <span class="flow-number">${reading(fixed(value, 2))}</span>
      <i class="pin" aria-hidden="true"></i>
    </button>
  `;
}

/** @param {App} app @param {Source} source @param {number} count */
function more(app, source, count) {
  const isWide = view.wide.has(source.name);
  const toggle = () => {
    if (!view.wide.delete(source.name)) view.wide.add(source.name);
    app.draw();
  };
  return html`
    <button
      class="button plain small"
      type="button"
      data-wide
      aria-expanded=${isWide}
      @click=${toggle}
    >
      ${isWide ? "Show used only" : `Show all ${count}`}
    </button>
  `;
}
