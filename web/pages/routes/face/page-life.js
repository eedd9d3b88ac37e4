// What runs while the face wizard is shown.

import { startPreview, stopPreview } from "./preview.js";
import { wizard } from "./wizard.js";

const LOOK_MS = 1000;
const TICK_MS = 100;

let timer = 0;
let clock = 0;

/** @param {import("../../../context.js").App} app */
export function openFace(app) {
  if (wizard.saved) wizard.restart();
  void wizard.load(app);
  timer = setInterval(() => !document.hidden && void wizard.look(app), LOOK_MS);
  clock = setInterval(() => {
    wizard.tick(app);
    if (wizard.dueAt || wizard.since) app.draw();
  }, TICK_MS);
  startPreview(app);
}

export function closeFace() {
  clearInterval(timer);
  clearInterval(clock);
  [timer, clock] = [0, 0];
  wizard.dueAt = 0;
  stopPreview();
}
