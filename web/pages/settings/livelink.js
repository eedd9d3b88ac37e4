// LiveLink: which formats are heard, where, and how much one sender may send.

import { html } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withField } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { entry } from "./entry.js";
import { notThere, section, waiting } from "./section.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").FormatInfo} Listener */
/** @typedef {import("../../lib/types.js").FormatList} ListenerList */
/** @typedef {import("./state.js").Answers} Answers */

/** @type {Record<string, string>} */
const FORMATS = {
  llf: "Live Link Face",
  json: "JSON LiveLink",
  vmc: "VMC",
  ifacialmocap: "iFacialMocap",
  lines: "JSON lines (TCP)",
  capture: "Live Link Face, newer mode (experimental)",
};

const limit = { value: "", wrong: "", isTouched: false };
/** @type {Set<string>} */
const busy = new Set();

/** @param {App} app @param {Answers} answers */
export function liveLinkSection(app, answers) {
  const known = answers.data.livelink;
  const failure = answers.failures.livelink;
  const again = () => answers.ask(app, "livelink");
  const text = "Face and body capture. In force at once, and kept over restarts.";
  const content = known ? form(app, answers, known) : failure ? notThere(failure, again) : waiting;
  return section("livelink", "LiveLink", text, content);
}

/** @param {App} app @param {Answers} answers @param {ListenerList} known */
const form = (app, answers, known) => html`
  <ul class="formats">
    ${known.formats.map((each) => format(app, answers, each))}
  </ul>
  ${limitForm(app, answers, known)}
  <div class="toolbar"><a class="button" href="#/inputs/livelink">Subjects, addresses</a></div>
`;

/** @param {App} app @param {Answers} answers @param {Listener} each */
function format(app, answers, each) {
  const name = FORMATS[each.format] ?? each.format;
  return html`
    <li>
      <label class="switch">
        <input
          type="checkbox"
          role="switch"
          data-format=${each.format}
          .checked=${each.enabled}
          ?disabled=${!isAdmin(app) || busy.has(each.format)}
          @change=${withField((field) => turn(app, answers, each.format, field))}
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
 * @param {Answers} answers
 * @param {string} format
 * @param {HTMLInputElement} input
 */
async function turn(app, answers, format, input) {
  const isOn = input.checked;
  input.checked = !isOn; // as the robot says, until it says otherwise
  busy.add(format);
  app.draw();
  const said = `${FORMATS[format]} is ${isOn ? "heard" : "off"}.`;
  await answers.change(app, "livelink", () => set(app, { formats: { [format]: isOn } }), said);
  busy.delete(format);
  app.draw();
}

/** @param {App} app @param {object} params */
const set = (app, params) => app.api.request("livelink", "set_formats", params);

/** @param {App} app @param {Answers} answers @param {ListenerList} known */
function limitForm(app, answers, known) {
  const shown = limit.isTouched ? limit.value : String(known.datagrams_per_second);
  return html`
    <form class="form" data-limit novalidate @submit=${onSubmit(() => save(app, answers))}>
      <div class="name-row">
        ${entry({
          id: "datagrams",
          label: "Datagrams a second of one sender",
          value: shown,
          hint:
            "A phone sends 60. What comes faster is not looked at, so that nobody can drown " +
            "the others.",
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
          Save
        </button>
      </div>
    </form>
  `;
}

/** @param {App} app @param {Answers} answers */
async function save(app, answers) {
  const text = limit.value.trim();
  const number = Number(text);
  if (!/^[0-9]+$/.test(text) || number < 1 || number > 100_000) {
    limit.wrong = "A whole number from 1 to 100000.";
    return app.draw();
  }
  busy.add("limit");
  app.draw();
  try {
    answers.data.livelink = await set(app, { datagrams_per_second: number });
    limit.isTouched = false;
    app.toasts.done(`One sender may send ${number} datagrams a second.`);
  } catch (err) {
    limit.wrong = /** @type {Error} */ (err).message.replace(/^params\./, "");
  }
  busy.delete("limit");
  app.draw();
}
