// What the proposed routes would make of the live face: requested again and again while the wizard
// is shown; the parts follow it while a button is held.

import { Follow } from "../../../lib/control/follow.js";
import { whyNotMoved } from "../../../lib/control/why-not-moved.js";
import { newRoute } from "../model.js";
import { wizard } from "./wizard.js";

/**
 * @typedef {import("../../../context.js").With<"api" | "dialogs" | "draw" | "store">} App
 */
/** @typedef {import("../model.js").Mapping} Mapping */

const PERIOD_MS = 60; // the router times a client out after 300 ms

/** @type {App | null} */ let shownIn = null;
/** @type {Follow | null} */ let follow = null;
let timer = 0;
let isWaiting = false;

export const preview = {
  /** By output: "parts.face.jaw". @type {Record<string, number>} */ values: {},
};

/** @param {App} app */
export function startPreview(app) {
  shownIn = app;
  follow ??= new Follow(
    () => /** @type {App} */ (shownIn).api,
    () => whyNotFollowed(/** @type {App} */ (shownIn)),
    () => shownIn?.draw(),
  );
  clearInterval(timer);
  timer = setInterval(() => void update(app), PERIOD_MS);
}

export function stopPreview() {
  follow?.release();
  clearInterval(timer);
  timer = 0;
  preview.values = {};
}

/** The hold on the parts. */
export const following = () => follow;

/** @param {App} app */
export function whyNotFollowed(app) {
  for (const { output, mapping } of wizard.proposed) {
    const field = mapping === "passthrough" ? "" : mapping[0].to;
    const why = whyNotMoved(app, { target: output.target, field });
    if (why) return why;
  }
  return "";
}

/** Values of the face that is measured, as the router gets them. @param {App} app */
export function faceValues(app) {
  const all = app.store.data.inputs?.livelink ?? [];
  return all.find((each) => each.subject === wizard.measured)?.values ?? {};
}

/** Preview all routes of a target at once. @param {App} app */
async function update(app) {
  const routes = wizard.proposed;
  if (isWaiting || document.hidden || app.api.state !== "open" || !routes.length) return;
  isWaiting = true;
  const values = Object.fromEntries(
    Object.entries(faceValues(app)).flatMap(([name, value]) =>
      typeof value === "number" ? [[name, value]] : [],
    ),
  );
  /** @type {import("../../../lib/control/follow.js").Values} */ const found = {};
  try {
    for (const target of new Set(routes.map(({ output }) => output.target))) {
      const mapping = routes
        .filter(({ output }) => output.target === target)
        .flatMap((each) => /** @type {Mapping[]} */ (each.mapping));
      const route = newRoute("preview", { source: "livelink" }, target, mapping);
      const reply = await app.api.request("router", "preview_route", { route, values });
      found[target] = Object.fromEntries(reply.fields.map(({ field, value }) => [field, value]));
    }
    preview.values = Object.fromEntries(
      Object.entries(found).flatMap(([target, fields]) =>
        Object.entries(fields).map(([field, value]) => [`${target}.${field}`, value]),
      ),
    );
    if (Object.keys(values).length) follow?.send(found);
  } catch {
    preview.values = {}; // the next one follows soon
  }
  isWaiting = false;
  app.draw();
}
