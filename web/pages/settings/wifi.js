// The wireless network that the server joins, or its own hotspot.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { entry } from "./entry.js";
import { follow, isWaiting } from "./network-change.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").Answers} Answers */
/** @typedef {{label: string, hint: string, type?: string}} FieldText */
/**
 * @typedef {object} WifiQuestion
 * @property {string} title
 * @property {string} text
 * @property {string} verb
 * @property {() => Promise<{message: string}>} send
 */

const wifi = {
  ssid: "",
  password: "",
  country: "",
  isHidden: false,
  wrong: { field: "", text: "" },
};

/** @param {App} app @param {Answers} answers @param {Settings} known */
export function wifiForm(app, answers, known) {
  const isFixed = !isAdmin(app);
  /** @param {"ssid" | "password" | "country"} id @param {FieldText} more */
  const field = (id, more) =>
    entry({
      id,
      value: wifi[id],
      isFixed,
      wrong: wifi.wrong.field === id ? wifi.wrong.text : "",
      edit: (value) => (
        Object.assign(wifi, { [id]: value, wrong: { field: "", text: "" } }), app.draw()
      ),
      ...more,
    });
  return html`
    <p data-wifi>${now(known)}</p>
    <form class="form" data-wifi-form @submit=${onSubmit(() => join(app, answers))}>
      <div class="pair-form form">
        ${field("ssid", { label: "Name of the network", hint: "As your phone shows it" })}
        ${field("password", {
          label: "Password",
          type: "password",
          hint: "Empty for an open network. It is not shown again.",
        })}
        ${field("country", {
          label: "Country",
          hint: "Two letters such as GB: which channels are allowed. May stay empty.",
        })}
      </div>
      <label class="check">
        <input
          type="checkbox"
          .checked=${wifi.isHidden}
          ?disabled=${isFixed}
          @change=${withChecked((isOn) => (wifi.isHidden = isOn))}
        >
        The network does not tell its name
      </label>
      <div class="toolbar">
        <button class="button primary" type="submit" ?disabled=${isFixed || isWaiting(known)}>
          Join this network…
        </button>
        ${
          known.wifi
            ? html`<button
              class="button"
              type="button"
              data-leave
              ?disabled=${isFixed || isWaiting(known)}
              @click=${() => leave(app, answers)}
            >
              Open its own hotspot…
            </button>`
            : nothing
        }
      </div>
    </form>
  `;
}

/** @param {Settings} known */
const now = (known) =>
  known.wifi
    ? html`The server has joined <b>${known.wifi}</b>.`
    : known.hotspot
      ? html`The server has a hotspot of its own, <b>${known.hotspot}</b>; its screen shows the
        password.`
      : "The server uses no Wi-Fi.";

/** What can be seen to be wrong before anybody is asked. */
function fault() {
  const length = new TextEncoder().encode(wifi.ssid).length;
  if (length < 1 || length > 32) return { field: "ssid", text: "1 to 32 letters." };
  const isPhrase =
    /^[\x20-\x7e]{8,63}$/.test(wifi.password) || /^[0-9a-fA-F]{64}$/.test(wifi.password);
  if (wifi.password && !isPhrase)
    return { field: "password", text: "8 to 63 letters, digits and signs." };
  if (wifi.country && !/^[A-Za-z]{2}$/.test(wifi.country))
    return { field: "country", text: "Two letters, such as GB." };
  return { field: "", text: "" };
}

/** @param {App} app @param {Answers} answers */
function join(app, answers) {
  wifi.wrong = fault();
  if (wifi.wrong.field) return app.draw();
  const { ssid, password, isHidden } = wifi;
  const country = wifi.country ? { country: wifi.country.toUpperCase() } : {};
  change(app, answers, {
    title: `Change to the Wi-Fi ${ssid}?`,
    text: password
      ? "The server leaves the network that it is in: this page may lose it. Without an " +
        "address within a minute it comes back to the one before."
      : "This is an open network: everybody near may read what is not encrypted. Without an " +
        "address within a minute the server comes back.",
    verb: "Change the network",
    send: () =>
      app.api.request("settings", "join_wifi", { ssid, password, hidden: isHidden, ...country }),
  });
}

/** @param {App} app @param {Answers} answers */
const leave = (app, answers) =>
  change(app, answers, {
    title: "Open the server's own hotspot?",
    text:
      "The server leaves its network, and this page may lose it. The hotspot's password stands " +
      "on the server's screen.",
    verb: "Open the hotspot",
    send: () => app.api.request("settings", "leave_wifi"),
  });

/** @param {App} app @param {Answers} answers @param {WifiQuestion} what */
function change(app, answers, { send, ...what }) {
  askConfirmation(app, {
    ...what,
    isDanger: true,
    work: async () => {
      const reply = await send();
      Object.assign(wifi, { ssid: "", password: "", country: "", isHidden: false });
      follow(app, answers, reply.message);
    },
  });
}
