// Entry point: connects to the robot, stores the newest state and draws at most once per frame.

import { render } from "/vendor/lit-html/lit-html.js";
import { Api } from "./lib/api.js";
import { StopKeys } from "./lib/control/stop-keys.js";
import { Teleop } from "./lib/control/teleop.js";
import { mayOperate } from "./lib/levels.js";
import { PageFocus } from "./lib/page-focus.js";
import { RedrawRate } from "./lib/redraw-rate.js";
import { PageRouter } from "./lib/router.js";
import { StateStore } from "./lib/store.js";
import { Toasts } from "./lib/toasts.js";
import { PAGES } from "./pages.js";
import { beginDrawing } from "./parts/live.js";
import { isConfirmed } from "./parts/stop-changes.js";
import { stop } from "./views/estop.js";
import { listenForFinder } from "./views/finder-button.js";
import { page } from "./views/frame.js";
import { notFound } from "./views/not-found.js";

/** Topics of every page, with rates in Hz (0: every change); each page adds its own. */
const TOPICS = { system: 0, firmware: 0 };
const TICK_MS = 70; // longest pause between drawings, so that stale data shows within 500 ms

const store = new StateStore();
const pageFocus = new PageFocus();
const root = /** @type {HTMLElement} */ (document.getElementById("app"));
let isScheduled = false; // a drawing at the next frame
let timer = 0; // of the next drawing without a request
let drawAt = 0; // time of that drawing (performance.now)
const redrawRate = new RedrawRate();
const painted = new MessageChannel(); // its messages arrive after layout and paint
painted.port1.onmessage = () => redrawRate.record(performance.now() - app.now);

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

const router = new PageRouter(
  PAGES,
  notFound,
  (shown, before) => {
    if (shown !== before) {
      before?.close?.(app);
    }
    api.subscribe({ ...TOPICS, ...needed(shown) });
    shown?.open?.(app, router.rest);
    draw();
  },
  (shown, to) => shown.mayLeave?.(app, to) ?? true,
);

const teleop = new Teleop(
  api,
  () => app.robot,
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

/** A key press does not repeat a stop that is latched already. */
function mayStop() {
  return !store.data.system?.estop?.active;
}

/** Draw at the next frame, after an action of the user. */
function draw() {
  if (isScheduled) return;
  isScheduled = true;
  clearTimeout(timer);
  requestAnimationFrame(() => {
    isScheduled = false;
    drawIn(Math.max(TICK_MS, redrawRate.interval));
    app.now = performance.now();
    beginDrawing(app.now);
    if (root.firstElementChild?.className === "boot") root.replaceChildren();
    render(page(app), root);
    pageFocus.update(app);
    painted.port2.postMessage(null);
  });
}

/** Draw new data of the robot, at the redraw rate. */
function drawSoon() {
  const wait = Math.max(0, app.now + redrawRate.interval - performance.now());
  if (!isScheduled && performance.now() + wait < drawAt) drawIn(wait);
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
    // The next connection repeats the request; bars without limits stay empty until then.
  }
  draw();
}

router.start();
app.stopKeys.start();
listenForFinder(app);
api.start();
draw();
