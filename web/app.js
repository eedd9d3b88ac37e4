// Starts the page: connects, keeps the newest state, draws at most once per frame.

import { render } from "/vendor/lit-html/lit-html.js";
import { Api } from "./lib/api.js";
import { Store } from "./lib/store.js";
import { Teleop } from "./lib/teleop.js";
import { page } from "./views/page.js";
import { currentPage } from "./views/tabs.js";

/** Updates per second of each topic; 0: every change. */
const TOPICS = { nodes: 0, firmware: 0, inputs: 20, outputs: 20, head: 20, tracks: 20, system: 0, log: 0 };
const TICK_MS = 100; // so that what went silent looks so in time

/**
 * @typedef {object} App
 * @property {Api} api
 * @property {Store} store
 * @property {any} robot what the robot is made of: fields with units and limits
 * @property {{adopting: any, resetting: any, clearing: any, stop: any, firmware: any}} dialogs open ones
 * @property {{isBusy: boolean, refusal: string, upload: any}} firmware what was asked for on its page
 * @property {Teleop} teleop
 * @property {number} now performance.now() of this drawing
 * @property {() => void} draw
 */

const store = new Store();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
let isAsked = false;

const api = new Api(TOPICS, {
  onState(topic, data) {
    store.put(topic, data, performance.now());
    draw();
  },
  onLink() {
    if (api.state === "open") describe();
    draw();
  },
});

const teleop = new Teleop(
  api,
  () => app.robot?.targets ?? null,
  () => api.state === "open" && !store.data.system?.estop?.active,
  draw,
);

/** @type {App} */
const app = {
  api,
  store,
  robot: null,
  dialogs: { adopting: null, resetting: null, clearing: null, stop: null, firmware: null },
  firmware: { isBusy: false, refusal: "", upload: { state: "none", isOver: false } },
  teleop,
  now: performance.now(),
  draw,
};

function draw() {
  if (isAsked) return;
  isAsked = true;
  requestAnimationFrame(() => {
    isAsked = false;
    app.now = performance.now();
    if (root.firstElementChild?.className === "boot") root.replaceChildren();
    render(page(app), root);
    const stopped = store.data.system?.estop?.active ? "STOPPED · " : "";
    const title = `${stopped}${app.api.session.robot || "SAINT.OS"}`;
    if (document.title !== title) document.title = title;
  });
}

async function describe() {
  try {
    app.robot = await api.request("system", "describe");
  } catch {
    // Asked again at the next connection; bars show only what they know until then.
  }
  draw();
}

addEventListener("hashchange", () => {
  scrollTo(0, 0);
  follow();
  draw();
});
/** Pads are looked at only on their page. */
function follow() {
  if (currentPage() === "drive") teleop.open();
  else teleop.close();
}

follow();
setInterval(draw, TICK_MS);
api.start();
draw();
