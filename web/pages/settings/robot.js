// How the robot is called, the server's network, its firmware: mostly facts.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { isAdmin } from "../../lib/levels.js";
import { facts, notThere, section, waiting } from "./section.js";

/** @typedef {import("../../app.js").App} App */
/** @typedef {import("./state.js").Answers} Answers */

const form = { name: "", wrong: "", isBusy: false, isTouched: false };

/** @param {App} app @param {Answers} answers */
export function robotSections(app, answers) {
  return [nameSection(app, answers), networkSection(app, answers), firmwareSection(app)];
}

/** @param {App} app @param {Answers} answers */
function nameSection(app, answers) {
  const known = answers.data.robot;
  return section("robot", "Robot", "", known ? nameForm(app, answers, known) : absent(app, answers));
}

/** @param {App} app @param {Answers} answers */
const absent = (app, answers) =>
  answers.failures.robot ? notThere(answers.failures.robot, () => answers.ask(app, "robot")) : waiting;

/** @param {App} app @param {Answers} answers @param {any} known */
function nameForm(app, answers, known) {
  const shown = form.isTouched ? form.name : known.name;
  const isSame = shown.trim() === known.name;
  const edit = (/** @type {any} */ event) => {
    Object.assign(form, { name: event.target.value, isTouched: true, wrong: "" });
    app.draw();
  };
  return html`
    <form class="form" @submit=${(/** @type {SubmitEvent} */ event) => (event.preventDefault(), save(app, answers))}>
      <div class="name-row">
        <label class="entry ${form.wrong ? "is-wrong" : ""}">
          <span>Name of the robot</span>
          <input
            name="robot-name"
            maxlength="64"
            autocomplete="off"
            aria-describedby="name-hint"
            .value=${shown}
            ?disabled=${!isAdmin(app)}
            @input=${edit}
          >
          <small class=${form.wrong ? "wrong" : "hint"} id="name-hint">
            ${form.wrong || `Shown on every page. It was shipped as ${known.shipped_name}.`}
          </small>
        </label>
        <button class="button primary" type="submit" ?disabled=${!isAdmin(app) || isSame || form.isBusy}>
          Save
        </button>
      </div>
    </form>
    ${facts([
      ["Host name", hostname(known)],
      ["Runs as", ROLES[/** @type {"server"} */ (known.machine_role)] ?? "a program on this computer (simulation)"],
      ["Clock", known.time ? new Date(known.time).toLocaleString() : "–"],
    ])}
    ${known.problems.length
      ? html`<div class="notice">
          <strong>Settings that this machine could not follow:</strong>
          <ul>${known.problems.map((/** @type {string} */ each) => html`<li>${each}</li>`)}</ul>
        </div>`
      : nothing}
  `;
}

const ROLES = { server: "server", node: "node", both: "server and node" };

/** @param {any} known */
const hostname = (known) =>
  known.machine_role
    ? html`${known.hostname} <span class="quiet">(${known.hostname}.local)</span>`
    : html`${known.hostname}`;

/** @param {App} app @param {Answers} answers */
async function save(app, answers) {
  Object.assign(form, { isBusy: true, wrong: "" });
  app.draw();
  try {
    answers.data.robot = await app.api.request("settings", "set_name", { name: form.name });
    app.api.session.robot = answers.data.robot.name;
    form.isTouched = false;
    app.toasts.done(`The robot is now called ${answers.data.robot.name}.`);
  } catch (err) {
    form.wrong = /** @type {Error} */ (err).message.replace(/^params\./, "");
  }
  form.isBusy = false;
  app.draw();
}

/** @param {App} app @param {Answers} answers */
function networkSection(app, answers) {
  const known = answers.data.robot;
  const cards = (known?.interfaces ?? []).filter((/** @type {any} */ each) => each.place !== "own");
  const text = known?.machine_role
    ? "Inside are the nodes, outside are you. Host name, Wi-Fi and the hotspot are set in saint.yaml on the card's boot partition; they are followed at the next start."
    : "The network of the computer that simulates the robot. On a robot, saint.yaml on the card's boot partition sets host name, Wi-Fi and hotspot.";
  return section("network", "Network", text, known ? networkTable(cards) : absent(app, answers));
}

/** @param {any[]} cards */
function networkTable(cards) {
  if (!cards.length) return html`<p class="quiet">No network card was found.</p>`;
  return html`
    <div class="table-wrap">
      <table class="table stacks">
        <thead><tr><th>Card</th><th>Place</th><th>State</th><th>Addresses</th></tr></thead>
        <tbody>
          ${cards.map(
            (card) => html`
              <tr>
                <td data-label="Card"><b>${card.name}</b>${card.is_wireless ? " (Wi-Fi)" : ""}</td>
                <td data-label="Place">${card.place === "inside" ? "inside: the nodes" : "outside"}</td>
                <td data-label="State">
                  <span class="chip ${card.is_up ? "good" : "idle"}"><i class="dot"></i>${card.is_up ? "up" : "down"}</span>
                </td>
                <td data-label="Addresses">
                  ${card.addresses.length ? card.addresses.map((/** @type {string} */ a) => html`<code>${a}</code> `) : "none"}
                </td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** @param {App} app */
function firmwareSection(app) {
  const firmware = app.store.data.firmware;
  const server = firmware?.machines?.find((/** @type {any} */ each) => each.is_server);
  const versions = firmware?.versions ?? [];
  const newest = firmware?.releases?.[0];
  return section(
    "firmware",
    "Firmware",
    "",
    html`
      ${facts([
        ["This server runs", server?.version || app.store.data.system?.version || "–"],
        ["All machines", versions.length > 1 ? `different releases: ${versions.join(", ")}` : (versions[0] ?? "–")],
        ["Newest release here", newest ? newest.version : "none was uploaded yet"],
      ])}
      <div class="toolbar"><a class="button" href="#/firmware">Releases, upload, roll out</a></div>
    `,
  );
}
