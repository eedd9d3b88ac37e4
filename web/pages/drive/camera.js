// What the head's camera sees, newest picture only. It is switched on from here, and asked for only
// while it is on.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { mayOperate } from "../../lib/levels.js";

/** @typedef {import("../../context.js").With<"api" | "draw" | "now" | "store">} App */

const state = { refusal: "", isBroken: false, try: 1 };

/** @param {App} app */
export function camera(app) {
  const head = app.store.data.head;
  const isOn = Boolean(head?.camera_active) && app.store.isFresh("head", app.now);
  return html`
    <figure class="camera ${isOn ? "is-on" : ""}" data-camera=${isOn ? "on" : "off"}>
      <div class="no-picture"><p>${words(isOn)}</p></div>
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
          ?disabled=${!mayOperate(app) || !head}
          @click=${() => toggle(app, !isOn)}
        >
          ${isOn ? "Camera off" : "Camera on"}
        </button>
      </figcaption>
    </figure>
  `;
}

/** @param {App} app */
const picture = (app) => html`<img
  src=${`/api/camera?${state.try}`}
  alt="What the head's camera sees"
  width="640"
  height="480"
  @error=${() => ((state.isBroken = true), app.draw())}
>`;

/** @param {boolean} isOn */
function words(isOn) {
  if (!isOn) return "The camera is off";
  if (state.isBroken)
    return "The picture could not be fetched: too many look at it, or the connection broke.";
  return "Waiting for the first picture";
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
