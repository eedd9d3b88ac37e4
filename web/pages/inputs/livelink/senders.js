// Capture senders that may move the robot: new ones to accept, accepted ones, and the code that
// accepts a sender automatically.

import { repeat } from "/vendor/lit-html/directives/repeat.js";
import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { fixed, words } from "../../../lib/format.js";
import { isAdmin, mayOperate } from "../../../lib/levels.js";
import { askConfirmation } from "../../../parts/confirm.js";
import { polls } from "../polls.js";
import { picture } from "./listeners.js";

/** @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../../lib/types.js").SenderInfo} Sender */

/** @type {Record<string, string>} */
const BY = { person: "accepted here", settings: "in livelinkd.yaml", code: "by code" };
const desk = { code: "", busy: "" };

/** List the new senders, with a warning if the check is off. @param {App} app */
export function waitingSenders(app) {
  const { data } = polls.senders;
  if (!data) return nothing;
  return html`
    ${data.accept === "all" ? isOff(app) : nothing}
    ${
      data.waiting.length
        ? html`<section class="senders-waiting" aria-labelledby="waiting-title">
          <div class="section-head"><h2 id="waiting-title">New senders</h2></div>
          ${repeat(data.waiting, keyOf, (each) => waiting(app, each))}
        </section>`
        : nothing
    }
  `;
}

/** List the accepted senders and the sender code. @param {App} app */
export function acceptedSenders(app) {
  const { data } = polls.senders;
  if (!data) return nothing;
  return html`
    <section aria-labelledby="senders-title" data-senders>
      <div class="section-head"><h2 id="senders-title">Accepted senders</h2></div>
      <div class="card">
        ${
          data.accepted.length
            ? html`
              <ul class="listeners">
                ${repeat(data.accepted, keyOf, (each) => accepted(app, each))}
              </ul>
            `
            : html`
              <p class="quiet">
                None. A new sender appears on this page and moves nothing until you accept it.
              </p>
            `
        }
        ${code(app)}
        ${
          data.accept === "known" && isAdmin(app)
            ? html`
              <button class="button small" type="button" data-check-off @click=${() => askOff(app)}>
                Accept every sender
              </button>
            `
            : nothing
        }
      </div>
    </section>
  `;
}

/** @param {Sender} each */
const keyOf = (each) => `${each.format} ${each.ip} ${each.subject_name}`;

/** @param {Sender} each */
const refOf = ({ format, ip, subject_name }) =>
  /** @type {import("../../../lib/types.js").SenderRef} */ ({ format, ip, subject_name });

/** @param {App} app @param {Sender} each */
function waiting(app, each) {
  const first = Object.entries(each.values).slice(0, 4);
  return html`
    <article class="card subject" data-waiting=${keyOf(each)}>
      <header>
        <h3>${each.subject_name}</h3>
        <span class="chip warn"><i class="dot"></i>Moves nothing</span>
      </header>
      <p>
        Sends ${each.format} from ${each.ip}${each.device ? `, device ${each.device}` : ""},
        ${fixed(each.frame_rate, 0)} frames/s.
        ${
          each.tracked
            ? first.map(
                ([name, value]) =>
                  html`<span class="quiet">${words(name)} ${fixed(value, 2)} </span>`,
              )
            : "No face is tracked."
        }
      </p>
      <div class="toolbar">
        <button
          class="button primary small"
          type="button"
          data-accept
          ?disabled=${!mayOperate(app) || desk.busy === keyOf(each)}
          @click=${() => accept(app, each)}
        >
          Accept ${each.subject_name}
        </button>
      </div>
    </article>
  `;
}

/** @param {App} app @param {Sender} each */
function accepted(app, each) {
  const isOurs = each.accepted_by === "person";
  const name = each.subject_name === "*" ? "Every subject" : each.subject_name;
  return html`
    <li data-accepted=${keyOf(each)}>
      <span><b>${name}</b> <small class="quiet">${each.format} from ${each.ip},
      ${BY[each.accepted_by] ?? each.accepted_by}</small></span>
      ${
        isOurs
          ? html`<button
            class="button small"
            type="button"
            data-revoke
            ?disabled=${!mayOperate(app)}
            aria-label=${`Revoke ${name}`}
            @click=${() => askRevoke(app, each)}
          >
            Revoke
          </button>`
          : nothing
      }
    </li>
  `;
}

/** @param {App} app */
function code(app) {
  if (!mayOperate(app)) return nothing;
  if (!desk.code) {
    return html`
      <button
        class="button small"
        type="button"
        data-code-show
        @click=${() => show(app, "get_sender_code")}
      >
        Show sender code
      </button>
    `;
  }
  return html`
    <p>
      A subject whose name ends with <b data-code-text>${desk.code}</b> is accepted automatically.
      In the capture app, name it for example <code>Anna-${desk.code}</code>.
    </p>
    ${picture(`Anna-${desk.code}`)}
    <div class="toolbar">
      <button class="button small" type="button" @click=${() => ((desk.code = ""), app.draw())}>
        Hide code
      </button>
      ${
        isAdmin(app)
          ? html`
            <button class="button small" type="button" data-code-new @click=${() => askNew(app)}>
              Replace code…
            </button>
          `
          : nothing
      }
    </div>
  `;
}

/** @param {App} app */
const isOff = (app) => html`
  <div class="notice" role="status">
    <strong>Every sender may move the robot:</strong> the sender check is off. Use this only in a
    closed network.
    ${
      isAdmin(app)
        ? html`
          <button
            class="button small"
            type="button"
            data-check-on
            @click=${() => check(app, "known")}
          >
            Accept known senders only
          </button>
        `
        : nothing
    }
  </div>
`;

/**
 * @template T
 * @param {App} app
 * @param {Promise<T>} reply
 */
async function orToast(app, reply) {
  try {
    return await reply;
  } catch (error) {
    app.toasts.failed(error);
    return null;
  }
}

/** @param {App} app @param {Sender} each */
async function accept(app, each) {
  desk.busy = keyOf(each);
  app.draw();
  const reply = await orToast(app, app.api.request("livelink", "accept_sender", refOf(each)));
  desk.busy = "";
  if (reply) polls.senders.data = reply;
  app.draw();
}

/** @param {App} app @param {"get_sender_code" | "renew_sender_code"} action */
async function show(app, action) {
  const reply = await orToast(app, app.api.request("livelink", action));
  desk.code = reply?.code ?? desk.code;
  app.draw();
}

/** @param {App} app @param {"known" | "all"} which */
async function check(app, which) {
  const reply = await app.api.request("livelink", "set_sender_check", { accept: which });
  polls.senders.data = reply;
  app.draw();
}

/** @param {App} app @param {Sender} each */
function askRevoke(app, each) {
  askConfirmation(app, {
    title: `Revoke ${each.subject_name}?`,
    text:
      `${each.subject_name} from ${each.ip} no longer moves the robot until you accept it ` +
      "again.",
    verb: "Revoke the sender",
    work: async () =>
      (polls.senders.data = await app.api.request("livelink", "revoke_sender", refOf(each))),
    said: `${each.subject_name} is no longer accepted.`,
  });
}

/** @param {App} app */
function askNew(app) {
  askConfirmation(app, {
    title: "Replace the sender code?",
    text: "Senders with the present code no longer move the robot.",
    verb: "Replace the code",
    work: () => show(app, "renew_sender_code"),
    said: "Sender code replaced.",
  });
}

/** @param {App} app */
function askOff(app) {
  askConfirmation(app, {
    title: "Accept every sender?",
    text:
      "Anyone in the robot's network can then move it with a capture app. Use this only in a " +
      "closed network.",
    verb: "Accept every sender",
    isDanger: true,
    work: () => check(app, "all"),
    said: "Sender check turned off.",
  });
}
