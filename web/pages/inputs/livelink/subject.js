// One LiveLink subject: its sender, its live values by group, zero offset and scale factors.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../../lib/events.js";
import { FACE_FORMATS } from "../../../lib/face-formats.js";
import { fixed, words } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { STALE_MS } from "../../../lib/store.js";
import { askConfirmation } from "../../../parts/confirm.js";
import { gauges } from "../../../parts/gauges.js";
import { grouped, range } from "./value-groups.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "now" | "store" |
 *   "toasts">} App
 */
/** @typedef {import("../../../lib/types.js").SubjectInfo} SubjectInfo */
/** @typedef {import("../../../lib/types.js").SubjectDetail} SubjectDetail */
/**
 * What the user does with a subject, and the lists of its values.
 * @typedef {object} Desk
 * @property {string} search
 * @property {boolean} isAdjusting
 * @property {SubjectDetail | null} detail
 * @property {Record<string, string>} wrong
 * @property {string[]} names
 * @property {[string, string[][]][]} lists
 */

const LARGEST = 100;
const BLOCK = 12; // fills one, two, three or four columns

/** By name. @type {Map<string, Desk>} */
const desks = new Map();

/** @param {string} name */
function deskOf(name) {
  const known = desks.get(name) ?? {
    search: "",
    isAdjusting: false,
    detail: null,
    wrong: {},
    names: [],
    lists: [],
  };
  desks.set(name, known);
  return known;
}

/** @param {App} app @param {SubjectInfo} info */
export function subject(app, info) {
  const name = info.subject_name;
  const desk = deskOf(name);
  const live = app.store.data.inputs?.livelink?.find((each) => each.subject === name);
  const isStale = app.store.sourceAge(`livelink:${name}`, app.now) > STALE_MS;
  const [kind, word] = condition(info, isStale);
  return html`
    <article class="card subject" data-subject=${name} ?data-stale=${isStale}>
      <header>
        <h3>${name} <span class="quiet">${info.subject_type}</span></h3>
        <span class="chip ${kind}"><i class="dot"></i>${word}</span>
      </header>
      <dl class="link-facts">
        ${fact("Rate", html`${fixed(info.frame_rate, 0)} <small>frames/s</small>`)}
        ${fact("Lost", html`${info.lost} <small>of ${info.frames + info.lost}</small>`)}
        ${fact("From", html`${info.source_address} <small>${info.device}</small>`)}
        ${fact("Format", html`${FACE_FORMATS[info.format] ?? (info.format || "–")}`)}
        ${fact("Owner", html`${info.is_open ? "next sender" : info.source_ip}`)}
      </dl>
      <div class="toolbar">
        ${
          info.subject_type === "face"
            ? html`<a class="button small" data-face-wizard href="/routes/wizard/face">
              Map to the robot…
            </a>`
            : nothing
        }
        <button
          class="button small"
          type="button"
          data-zero
          ?disabled=${!mayOperate(app) || !info.tracked}
          @click=${() => zero(app, name, false)}
        >
          Set zero offset
        </button>
        ${
          info.is_tuned
            ? html`
              <button
                class="button small"
                type="button"
                ?disabled=${!mayOperate(app)}
                @click=${() => zero(app, name, true)}
              >
                Clear zero offset
              </button>
            `
            : nothing
        }
        <button
          class="button small"
          type="button"
          aria-pressed=${desk.isAdjusting}
          data-adjust
          ?disabled=${!mayOperate(app)}
          @click=${() => adjust(app, name, desk)}
        >
          ${desk.isAdjusting ? "Close factors" : "Set factors"}
        </button>
        <button class="button small" type="button" ?disabled=${!mayOperate(app) || info.is_open}
          @click=${() => release(app, info)}
        >
          Release
        </button>
      </div>
      ${
        live
          ? values(app, name, desk, live.values)
          : html`
            <p class="quiet">
              No values: ${info.tracked ? "the stream has timed out" : "no face is tracked"}.
            </p>
          `
      }
    </article>
  `;
}

/** @param {SubjectInfo} info @param {boolean} isStale @returns {[string, string]} */
function condition(info, isStale) {
  if (!info.tracked) return ["warn", "Not tracked"];
  return isStale ? ["bad", "Timed out"] : ["good", "Live"];
}

/** @param {string} name @param {unknown} value */
const fact = (name, value) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/**
 * @param {App} app
 * @param {string} name
 * @param {Desk} desk
 * @param {Record<string, number | null>} all
 */
function values(app, name, desk, all) {
  const wanted = desk.search.trim().toLowerCase();
  const names = Object.keys(all).filter(
    (each) =>
      !wanted || each.toLowerCase().includes(wanted) || words(each).toLowerCase().includes(wanted),
  );
  return html`
    <label class="search">
      <span class="hidden">Search the values of ${name}</span>
      <input
        type="search"
        placeholder="Search ${Object.keys(all).length} values"
        .value=${desk.search}
        @input=${withValue((value) => ((desk.search = value), app.draw()))}>
    </label>
    ${
      names.length
        ? nothing
        : html`<p class="quiet" role="status">No values match "${desk.search}".</p>`
    }
    ${repeat(
      lists(desk, names),
      ([group]) => group,
      ([group, blocks]) => html`
        <section class="value-group" aria-label=${group}>
          <h4>${group}</h4>
          ${blocks.map((block) =>
            gauges(() => block.map((each) => gauge(app, name, desk, each, all[each]))),
          )}
        </section>
      `,
    )}
  `;
}

/**
 * Return short lists by group, each drawn while it is in sight, and rebuild them for other names.
 * @param {Desk} desk
 * @param {string[]} names
 */
function lists(desk, names) {
  const isKnown =
    names.length === desk.names.length && names.every((name, at) => name === desk.names[at]);
  if (!isKnown) {
    desk.names = names;
    desk.lists = grouped(names).map(([group, members]) => [group, blocks(members)]);
  }
  return desk.lists;
}

/** @param {string[]} members @returns {string[][]} */
function blocks(members) {
  const count = Math.ceil(members.length / BLOCK);
  return Array.from({ length: count }, (_, at) => members.slice(at * BLOCK, (at + 1) * BLOCK));
}

/**
 * @param {App} app
 * @param {string} subject
 * @param {Desk} desk
 * @param {string} key
 * @param {number | null} value
 */
function gauge(app, subject, desk, key, value) {
  const [low, high] = range(key, value);
  const more = desk.isAdjusting ? factor(app, subject, desk, key) : nothing;
  return { key, name: words(key), value, low, high, more };
}

/** @param {App} app @param {string} subject @param {Desk} desk @param {string} name */
function factor(app, subject, desk, name) {
  const now = desk.detail?.scale?.[name] ?? 1;
  return html`
    <span class="factor">
      <label>
        <span class="hidden">Factor of ${words(name)}</span>×
        <input type="number" step="0.1" min=${-LARGEST} max=${LARGEST} .value=${String(now)}
          aria-invalid=${desk.wrong[name] ? "true" : "false"}
          @change=${withValue((value) => scale(app, subject, desk, name, value))}>
      </label>
      <button class="button small" type="button" aria-label=${`Invert ${words(name)}`}
        @click=${() => scale(app, subject, desk, name, String(-now))}
      >
        ±
      </button>
      ${
        desk.wrong[name]
          ? html`<small class="wrong" role="alert">${desk.wrong[name]}</small>`
          : nothing
      }
    </span>
  `;
}

/** @param {App} app @param {string} name @param {Desk} desk */
async function adjust(app, name, desk) {
  desk.isAdjusting = !desk.isAdjusting;
  desk.wrong = {};
  app.draw();
  if (desk.isAdjusting)
    await update(app, desk, app.api.request("livelink", "get_subject", { subject_name: name }));
}

/**
 * @param {App} app
 * @param {string} subject
 * @param {Desk} desk
 * @param {string} name
 * @param {string} given
 */
async function scale(app, subject, desk, name, given) {
  const value = Number(given);
  desk.wrong = {};
  if (given.trim() === "" || !Number.isFinite(value) || Math.abs(value) > LARGEST) {
    desk.wrong[name] = `Enter a number from -${LARGEST} to ${LARGEST}.`;
    return app.draw();
  }
  await update(
    app,
    desk,
    app.api.request("livelink", "scale", { subject_name: subject, scale: { [name]: value } }),
  );
}

/** @param {App} app @param {Desk} desk @param {Promise<SubjectDetail>} reply */
async function update(app, desk, reply) {
  try {
    desk.detail = await reply;
  } catch (err) {
    app.toasts.failed(err);
  }
  app.draw();
}

/** @param {App} app @param {string} name @param {boolean} clear */
async function zero(app, name, clear) {
  try {
    await app.api.request("livelink", "zero", { subject_name: name, clear });
    app.toasts.done(clear ? `Zero offset of ${name} cleared.` : `Zero offset of ${name} set.`);
  } catch (err) {
    app.toasts.failed(err);
  }
}

/** @param {App} app @param {SubjectInfo} info */
function release(app, info) {
  askConfirmation(app, {
    title: `Release ${info.subject_name}?`,
    text:
      `${info.source_ip} owns this subject while it sends. After the release, the first sender ` +
      "that uses this name owns it.",
    verb: "Release the subject",
    work: () => app.api.request("livelink", "release", { subject_name: info.subject_name }),
    said: `${info.subject_name} released.`,
  });
}
