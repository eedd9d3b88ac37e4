// Starts the page: connects, keeps the newest state, draws at most once per frame.

import { render } from "/vendor/lit-html/lit-html.js";
import { Api } from "./lib/api.js";
import { StopKeys } from "./lib/control/stop-keys.js";
import { Teleop } from "./lib/control/teleop.js";
import { mayOperate } from "./lib/levels.js";
import { Place } from "./lib/page-focus.js";
import { Pace } from "./lib/redraw-rate.js";
import { Router } from "./lib/router.js";
import { Store } from "./lib/store.js";
import { Toasts } from "./lib/toasts.js";
import { PAGES } from "./pages.js";
import { beginDrawing } from "./parts/live.js";
import { isConfirmed } from "./parts/stop-changes.js";
import { stop } from "./views/estop.js";
import { listenForFinder } from "./views/finder-button.js";
import { page } from "./views/frame.js";
import { nowhere } from "./views/not-found.js";

/** What every page shows, with updates per second (0: every change); each page adds its own. */
const TOPICS = { system: 0, firmware: 0 };
const TICK_MS = 70; // drawn at least that often: what went silent looks so within half a second

const store = new Store();
const place = new Place();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
let isAsked = false;
let timer = 0; // of the next drawing that nobody has asked for yet
let drawAt = 0; // when that is
const pace = new Pace();
const painted = new MessageChannel(); // its messages come after the drawing that they were sent in
painted.port1.onmessage = () => pace.took(performance.now() - app.now);

const api = new Api(TOPICS, {
  onState(topic, data) {
    store.put(topic, data, performance.now());
    drawSoon();
  },
  mayLoseStops: (err) => isConfirmed(app, err),
  onLink() {
    if (api.state === "open") {
      describe();
      router.page?.linked?.(app, router.rest);
    }
    draw();
  },
});

const router = new Router(
  PAGES,
  nowhere,
  (shown, before) => {
    if (shown !== before) {
      before?.close?.(app);
    }
    api.want({ ...TOPICS, ...needed(shown) });
    shown?.open?.(app, router.rest);
    draw();
  },
  (shown, to) => shown.mayLeave?.(app, to) ?? true,
);

const teleop = new Teleop(
  api,
  () => app.robot?.targets ?? null,
  () => api.state === "open" && mayOperate(app) && !store.data.system?.estop?.active,
  draw,
);

/** @type {import("./context.js").App} */
const app = {
  api,
  store,
  robot: null,
  router,
  dialogs: {},
  isMenuOpen: false,
  toasts: new Toasts(draw),
  stopKeys: new StopKeys(() => mayStop() && stop(app)),
  teleop,
  now: performance.now(),
  draw,
};

/** @param {import("./lib/router.js").PageModule | null} shown */
function needed(shown) {
  return typeof shown?.topics === "function" ? shown.topics(router.rest) : shown?.topics;
}

/** A latched stop is not raised again by every press of the key. */
function mayStop() {
  return !store.data.system?.estop?.active;
}

/** At the next frame: what a person did. */
function draw() {
  if (isAsked) return;
  isAsked = true;
  clearTimeout(timer);
  requestAnimationFrame(() => {
    isAsked = false;
    drawIn(Math.max(TICK_MS, pace.interval));
    app.now = performance.now();
    beginDrawing(app.now);
    if (root.firstElementChild?.className === "boot") root.replaceChildren();
    render(page(app), root);
    place.look(app);
    painted.port2.postMessage(null);
  });
}

/** What the robot did. */
function drawSoon() {
  const wait = Math.max(0, app.now + pace.interval - performance.now());
  if (!isAsked && performance.now() + wait < drawAt) drawIn(wait);
}

/** @param {number} wait in ms */
function drawIn(wait) {
  clearTimeout(timer);
  drawAt = performance.now() + wait;
  timer = setTimeout(draw, wait);
}

async function describe() {
  try {
    app.robot = await api.request("system", "describe");
  } catch {
    // Asked again at the next connection; bars show only what they know until then.
  }
  draw();
}

router.start();
app.stopKeys.start();
listenForFinder(app);
api.start();
draw();
