// The page "Base": the wagon as its driver sees it. Who drives and what prevents arming, attitude,
// speed, battery, motors, receivers, bus, gains, and what stopped it.

import { html } from "/vendor/lit-html/lit-html.js";
import { viewerNotice } from "../../lib/levels.js";
import { absence } from "../../lib/robot/nodes.js";
import { arming, release } from "./arming.js";
import { attitude } from "./attitude.js";
import { events } from "./events.js";
import { gains } from "./gains.js";
import { battery, bus, motion, motors, receivers } from "./readings.js";
import { wagonOf } from "./state.js";

/** @typedef {import("../../context.js").App} App */

/** @param {App} app */
function view(app) {
  const topic = app.store.data.wagon;
  if (app.robot && !app.robot.targets.wagon) return without("This robot has no wagon.");
  const away = absence(app, "wagon");
  if (!topic) {
    return without(
      away
        ? html`<a href=${away.href}>${away.text}</a>, so nothing is known of the wagon.`
        : "Waiting for the wagon's state…",
    );
  }
  const wagon = wagonOf(topic);
  events.follow(app, wagon);
  const isStale = !app.store.isFresh("wagon", app.now);
  return html`
    <div class="page-head"><h1>Base</h1></div>
    ${viewerNotice(app)}
    ${
      isStale
        ? html`<p class="notice" role="alert" data-silent>
          The wagon's state is not received any more: what stands here is old.
        </p>`
        : ""
    }
    <div class="base-grid" data-state=${isStale ? "unknown" : wagon.state} ?data-stale=${isStale}>
      ${arming(app, wagon, isStale)} ${attitude(wagon)} ${motion(app, wagon)} ${battery(wagon)}
      ${motors(wagon)} ${receivers(wagon)} ${bus(wagon)} ${events.view()} ${gains(app, wagon)}
    </div>
  `;
}

/** @param {unknown} text */
const without = (text) => html`
  <div class="page-head"><h1>Base</h1></div>
  <p class="card empty" data-absent>${text}</p>
`;

/** @type {import("../../lib/router.js").PageModule} */
export const page = {
  topics: { wagon: 20, outputs: 5, nodes: 0 },
  view,
  open: () => events.open(),
  close: release,
};
