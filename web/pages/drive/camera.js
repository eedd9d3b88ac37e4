// The live picture of the head's camera and its switch; the picture is requested while the camera
// is on.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { mayOperate } from "../../lib/levels.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "store">} App */

const state = { refusal: "", isBroken: false, try: 1 };

/** @param {App} app */
export function camera(app) {
  const head = app.store.data.head;
  const isKnown = Boolean(head) && app.store.isFresh("head", app.now);
  const isOn = isKnown && Boolean(head?.camera_active);
  const word = isKnown ? (isOn ? "on" : "off") : "unknown";
  return html`
    <figure class="camera ${isOn ? "is-on" : ""}" data-camera=${word}>
      <div class="no-picture"><p>${stateText(word)}</p></div>
      ${isOn && !state.isBroken ? picture(app) : nothing}
      <figcaption>
        ${state.refusal ? html`<span class="wrong" role="alert">${state.refusal}</span>` : nothing}
        ${
          isOn && state.isBroken
            ? html`
              <button class="button small" type="button" @click=${() => again(app)}>
                Try again
              </button>
            `
            : nothing
        }
        <button
          class="button small"
          type="button"
          data-camera-switch
          ?disabled=${!mayOperate(app) || !isKnown}
          @click=${() => toggle(app, !isOn)}
        >
          ${isOn ? "Turn camera off" : "Turn camera on"}
        </button>
      </figcaption>
    </figure>
  `;
}

/** @param {App} app */
const picture = (app) => html`<img
  src=${`/api/camera?${state.try}`}
  alt="Live picture of the head's camera"
  width="640"
  height="480"
  @error=${() => ((state.isBroken = true), app.draw())}
>`;

/** @param {"on" | "off" | "unknown"} word */
function stateText(word) {
  if (word === "unknown") return "No data from the head: the state of the camera is unknown.";
  if (word === "off") return "Camera off";
  if (state.isBroken)
    return "No picture: too many viewers, or the connection is broken. Try again.";
  return "Waiting for the first picture…";
}

/** @param {App} app */
function again(app) {
  state.isBroken = false;
  state.try += 1;
  app.draw();
}

/** @param {App} app @param {boolean} enable */
async function toggle(app, enable) {
  state.refusal = "";
  try {
    await app.api.request("head", "camera", { enable });
    again(app);
  } catch (err) {
    state.refusal = /** @type {Error} */ (err).message;
  }
  app.draw();
}
