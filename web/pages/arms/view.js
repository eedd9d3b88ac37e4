// The tab "Move": the figure with command and measurement, and a card for each arm.

import { html } from "/vendor/lit-html/lit-html.js";
import { targetName } from "../../lib/format.js";
import { armsOf } from "../../lib/robot/arms.js";
import { SceneSync } from "../../parts/figure/scene.js";
import { figureLegend, figureStage } from "../../parts/figure/view.js";
import { framed } from "./frame.js";
import { jointsView } from "./joints.js";
import { followers, masterCard } from "./masters.js";

const scene = new SceneSync();

/** @param {import("./joints.js").App} app */
export function armsView(app) {
  const arms = armsOf(app.robot);
  if (!app.robot) return framed(app, "/arms", html`<div class="card skeleton"></div>`);
  if (!arms.length) return framed(app, "/arms", none());
  return framed(
    app,
    "/arms",
    html`
      <div class="arms-page">
        <div class="arms-figure">${figureStage(app, scene)} ${figureLegend()}</div>
        <div class="arms-cards">
          ${arms.map(
            (target) => html`
              <section class="card arm-card" aria-label=${targetName(target)} data-arm=${target}>
                <header><h2>${targetName(target)}</h2></header>
                ${masterCard(app, target)} ${jointsView(app, target)}
              </section>
            `,
          )}
          ${followers(app, arms)}
        </div>
      </div>
    `,
  );
}

const none = () => html`
  <div class="card empty">
    <h2>This robot has no arm of bus servos</h2>
    <p>Start from the template so101 on <a href="/parts/templates">Parts</a>.</p>
  </div>
`;
