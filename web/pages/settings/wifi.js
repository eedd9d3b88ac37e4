// The Wi-Fi form: the network that the server joins, or its own hotspot. Not here: the progress of
// a change request (network-change.js).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { onSubmit, withChecked } from "../../lib/events.js";
import { isAdmin } from "../../lib/levels.js";
import { askConfirmation } from "../../parts/confirm.js";
import { entry } from "./entry.js";
import { follow, isWaiting } from "./network-change.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw" | "toasts">} App */
/** @typedef {import("../../lib/types.js").SettingsInfo} Settings */
/** @typedef {import("./state.js").SettingsState} SettingsState */
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

/** @param {App} app @param {SettingsState} settings @param {Settings} known */
export function wifiForm(app, settings, known) {
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
    <form class="form" data-wifi-form @submit=${onSubmit(() => join(app, settings))}>
      <div class="pair-form form">
        ${field("ssid", { label: "Network name (SSID)", hint: "As shown on your phone" })}
        ${field("password", {
          label: "Password",
          type: "password",
          hint: "Empty for an open network",
        })}
        ${field("country", {
          label: "Country",
          hint: "Optional: two letters such as GB, for the allowed channels",
        })}
      </div>
      <label class="check">
        <input
          type="checkbox"
          .checked=${wifi.isHidden}
          ?disabled=${isFixed}
          @change=${withChecked((isOn) => (wifi.isHidden = isOn))}
        >
        Hidden network
      </label>
      <div class="toolbar">
        <button class="button primary" type="submit" ?disabled=${isFixed || isWaiting(known)}>
          Join network…
        </button>
        ${
          known.wifi
            ? html`<button
              class="button"
              type="button"
              data-leave
              ?disabled=${isFixed || isWaiting(known)}
              @click=${() => leave(app, settings)}
            >
              Open hotspot…
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
    ? html`The server is in the network <b>${known.wifi}</b>.`
    : known.hotspot
      ? html`The server runs its hotspot <b>${known.hotspot}</b>; its screen shows the password.`
      : "The server uses no Wi-Fi.";

/** Validate the form. */
function fault() {
  const length = new TextEncoder().encode(wifi.ssid).length;
  if (length < 1 || length > 32) return { field: "ssid", text: "Use 1 to 32 characters." };
  const isPhrase =
    /^[\x20-\x7e]{8,63}$/.test(wifi.password) || /^[0-9a-fA-F]{64}$/.test(wifi.password);
  if (wifi.password && !isPhrase)
    return { field: "password", text: "Use 8 to 63 letters, digits and symbols." };
  if (wifi.country && !/^[A-Za-z]{2}$/.test(wifi.country))
    return { field: "country", text: "Use two letters, such as GB." };
  return { field: "", text: "" };
}

/** @param {App} app @param {SettingsState} settings */
function join(app, settings) {
  wifi.wrong = fault();
  if (wifi.wrong.field) return app.draw();
  const { ssid, password, isHidden } = wifi;
  const country = wifi.country ? { country: wifi.country.toUpperCase() } : {};
  change(app, settings, {
    title: `Join the Wi-Fi ${ssid}?`,
    text: password
      ? "The server leaves its present network, and this page may lose the connection. Without " +
        "an address within 60 s the server returns to the previous network."
      : "This is an open network: others nearby can read unencrypted data. Without an address " +
        "within 60 s the server returns to the previous network.",
    verb: "Join the network",
    send: () =>
      app.api.request("settings", "join_wifi", { ssid, password, hidden: isHidden, ...country }),
  });
}

/** @param {App} app @param {SettingsState} settings */
const leave = (app, settings) =>
  change(app, settings, {
    title: "Open the server's own hotspot?",
    text:
      "The server leaves its network, and this page may lose the connection. The server's screen " +
      "shows the hotspot's password.",
    verb: "Open the hotspot",
    send: () => app.api.request("settings", "leave_wifi"),
  });

/** @param {App} app @param {SettingsState} settings @param {WifiQuestion} what */
function change(app, settings, { send, ...what }) {
  askConfirmation(app, {
    ...what,
    isDanger: true,
    work: async () => {
      const reply = await send();
      Object.assign(wifi, { ssid: "", password: "", country: "", isHidden: false });
      follow(app, settings, reply.message);
    },
  });
}
