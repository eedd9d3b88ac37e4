// The section of LiveLink: accepted formats with their listeners, and the rate limit of a sender.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withField } from "../../lib/events.js";
import { FACE_FORMATS } from "../../lib/face-formats.js";
import { isAdmin } from "../../lib/levels.js";
import { entry } from "./entry.js";
import { loadFailed, section, waiting } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").FormatInfo} Listener */
/** @typedef {import("../../lib/types.js").FormatList} ListenerList */
/** @typedef {import("./state.js").SettingsState} SettingsState */

const limit = { value: "", wrong: "", isTouched: false };
/** @type {Set<string>} */
const busy = new Set();

/** @param {App} app @param {SettingsState} settings */
export function liveLinkSection(app, settings) {
  const known = settings.data.livelink;
  const failure = settings.failures.livelink;
  const again = () => settings.request(app, "livelink");
  const text = "Face and body capture. Changes take effect at once and persist.";
  const missing = failure ? loadFailed(failure, again) : waiting;
  const content = known ? form(app, settings, known) : missing;
  return section("livelink", "LiveLink", text, content);
}

/** @param {App} app @param {SettingsState} settings @param {ListenerList} known */
const form = (app, settings, known) => html`
  <ul class="formats">
    ${known.formats.map((each) => format(app, settings, each))}
  </ul>
  ${announced(settings)} ${limitForm(app, settings, known)}
  <div class="toolbar"><a class="button" href="/inputs/livelink">Open subjects</a></div>
`;

/** The name and port under which senders find the robot. @param {SettingsState} settings */
function announced(settings) {
  const host = settings.data.robot?.hostname;
  const port = settings.data.livelink?.formats.find(({ format: name }) => name === "llf");
  const at = port?.addresses[0]?.split(":").at(-1) ?? "off";
  return host
    ? html`<p class="quiet" data-announced>
      Announced as <code>${host}</code> (<code>_saint-livelink._udp</code>, Live Link Face
      ${at}). The name is the server's <a href="/settings/network">host name</a>; each format keeps
      the port that its senders know.
    </p>`
    : nothing;
}

/** @param {App} app @param {SettingsState} settings @param {Listener} each */
function format(app, settings, each) {
  const name = FACE_FORMATS[each.format] ?? each.format;
  return html`
    <li>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          data-format=${each.format}
          .checked=${each.enabled}
          ?disabled=${!isAdmin(app) || busy.has(each.format)}
          @change=${withField((field) => setFormat(app, settings, each.format, field))}
        >
        ${name}
      </label>
      <span class="quiet">
        ${
          each.enabled
            ? each.addresses.map((/** @type {string} */ address) => html`<code>${address}</code> `)
            : "off"
        }
      </span>
    </li>
  `;
}

/**
 * @param {App} app
 * @param {SettingsState} settings
 * @param {string} format
 * @param {HTMLInputElement} input
 */
async function setFormat(app, settings, format, input) {
  const isOn = input.checked;
  input.checked = !isOn; // shows the robot's state until the change is applied
  busy.add(format);
  app.draw();
  const said = `${FACE_FORMATS[format]} turned ${isOn ? "on" : "off"}.`;
  await settings.change(app, "livelink", () => set(app, { formats: { [format]: isOn } }), said);
  busy.delete(format);
  app.draw();
}

/** @param {App} app @param {object} params */
const set = (app, params) => app.api.request("livelink", "set_formats", params);

/** @param {App} app @param {SettingsState} settings @param {ListenerList} known */
function limitForm(app, settings, known) {
  const shown = limit.isTouched ? limit.value : String(known.datagrams_per_second);
  return html`
    <form class="form" data-limit novalidate @submit=${onSubmit(() => save(app, settings))}>
      <div class="name-row">
        ${entry({
          id: "datagrams",
          label: "Rate limit per sender, datagrams/s",
          value: shown,
          hint:
            "A phone sends 60. Faster frames are dropped so that one sender cannot starve the " +
            "others.",
          wrong: limit.wrong,
          isFixed: !isAdmin(app),
          edit: (value) => (
            Object.assign(limit, { value, isTouched: true, wrong: "" }), app.draw()
          ),
        })}
        <button
          class="button"
          type="submit"
          ?disabled=${
            !isAdmin(app) || busy.has("limit") || shown === String(known.datagrams_per_second)
          }
        >
          Save<span class="hidden"> limit</span>
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {SettingsState} settings */
async function save(app, settings) {
  const text = limit.value.trim();
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || number < 1 || number > 100_000) {
    limit.wrong = "Enter a whole number from 1 to 100000.";
    return app.draw();
  }
  busy.add("limit");
  app.draw();
  try {
    settings.data.livelink = await set(app, { datagrams_per_second: number });
    limit.isTouched = false;
    app.toasts.done(`Rate limit changed to ${number} datagrams/s.`);
  } catch (err) {
    limit.wrong = /** @type {Error} */ (err).message.replace(/^params\./, "");
  }
  busy.delete("limit");
  app.draw();
}
