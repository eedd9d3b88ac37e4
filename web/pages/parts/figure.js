// The robot's figure: the one in force, an upload, and which of its joints shows which part, with a
// preview that moves. Not here: the 3D view (figure-preview.js), the robot's picture (pages/robot).

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { sentenceOf } from "../../lib/api.js";
import { withField, withValue } from "../../lib/events.js";
import { targetName, words } from "../../lib/format.js";
import { isAdmin } from "../../lib/levels.js";
import { uploadFile } from "../../lib/transfer.js";
import { askConfirmation } from "../../parts/confirm.js";
import { onCanvas, preview } from "./figure-preview.js";
import { framed } from "./frame.js";
import { state } from "./state.js";

/** @typedef {import("../../context.js").With<"api" | "dialogs" | "draw">} App */
/** @typedef {import("../../lib/types.js").FigureJoint} FigureJoint */
/** @typedef {import("../../lib/types.js").FigureShows} FigureShows */
/** @typedef {import("../../lib/types.js").RobotFigure} RobotFigure */

const TURNS = ["revolute", "continuous"];
const KINDS = {
  generated: "Made of the parts",
  own: "Yours",
  shipped: "Shipped with the release",
};
const STEPS = 100;

const shown = {
  /** @type {RobotFigure | null} */ figure: null,
  of: -1, // version in force when it was requested
  /** Chosen joints by part. @type {Map<string, string>} */ joints: new Map(),
  chosen: "", // part
  isBusy: false,
  refusal: "",
};

/** @param {FigureShows} part */
const keyOf = ({ target, name }) => `${target}.${name}`;

/** @param {RobotFigure} figure */
function take(figure) {
  Object.assign(shown, {
    figure,
    chosen: "",
    refusal: "",
    joints: new Map(figure.parts.map((part) => [keyOf(part), part.joint])),
  });
}

/** @param {App} app */
async function load(app) {
  shown.of = state.version;
  try {
    take(await app.api.request("robot", "figure", { digest: "" }));
  } catch (err) {
    shown.refusal = sentenceOf(err);
  }
  app.draw();
}

/** The connection is back: what is in force may be another figure. */
export function refreshFigure() {
  if (shown.figure?.is_in_force) shown.of = -1;
  if (preview.state === "failed") preview.end();
}

/** @param {App} app */
export function figureView(app) {
  if (state.parts && shown.of !== state.version && app.api.state === "open") void load(app);
  preview.onPick = (joint) => {
    shown.chosen = [...shown.joints].find(([, each]) => each && each === joint)?.[0] ?? "";
    app.draw();
  };
  return framed("/parts/figure", isAdmin(app) ? actions(app) : nothing, content(app));
}

/** @param {App} app */
const actions = (app) => html`
  ${
    shown.figure?.is_in_force && shown.figure.kind !== "generated"
      ? html`<button class="button" type="button" data-remove @click=${() => askRemoval(app)}>
        Make it of the parts…
      </button>`
      : nothing
  }
  <label class="button primary parts-file">
    ${shown.isBusy ? "Uploading…" : "Upload a URDF…"}
    <input
      class="hidden"
      type="file"
      accept=".urdf,.zip"
      data-upload
      ?disabled=${shown.isBusy}
      @change=${withField((field) => upload(app, field))}
    >
  </label>
`;

/** @param {App} app @param {HTMLInputElement} field */
async function upload(app, field) {
  const file = field.files?.[0];
  if (!file) return;
  Object.assign(shown, { isBusy: true, refusal: "" });
  app.draw();
  try {
    take(/** @type {RobotFigure} */ (await uploadFile("/api/robot/figures", file)));
  } catch (err) {
    shown.refusal = sentenceOf(err);
  }
  field.value = "";
  shown.isBusy = false;
  app.draw();
}

/** @param {App} app */
function askRemoval(app) {
  askConfirmation(app, {
    title: "Make the figure of the parts?",
    text:
      "Page and ROS then show a simple model of invented sizes: no arm is kept clear of " +
      "anything by it. The present figure stays in the versions.",
    verb: "Make it of the parts",
    work: () =>
      state.change(app, (base) => app.api.request("robot", "remove_figure", { base }), true),
  });
}

/** @param {App} app */
function content(app) {
  const { figure } = shown;
  if (!figure && shown.refusal) return refusal();
  if (!figure) return html`<p class="quiet" role="status">Loading…</p>`;
  return html`
    ${refusal()}
    ${
      figure.problem
        ? html`<p class="notice" role="alert" data-figure-problem>${figure.problem}</p>`
        : nothing
    }
    <div class="figure-page">
      <section class="card figure-stage" data-figure-state=${preview.state}>
        <canvas
          role="img"
          aria-label="Preview of the figure"
          ${onCanvas(app, figure.model, figure.joints, shown.joints.get(shown.chosen) ?? "")}
        ></canvas>
        ${preview.failure ? html`<p class="quiet" role="alert">${preview.failure}</p>` : nothing}
        ${facts(figure)}
      </section>
      <section class="card figure-joints" aria-labelledby="joints-title">
        <h2 id="joints-title">Which joint shows which part</h2>
        ${free(figure)} ${figure.is_in_force ? changed(app, figure) : ready(app, figure)}
        ${figure.parts.map((part) => row(app, figure, part))}
      </section>
    </div>
  `;
}

const refusal = () =>
  shown.refusal ? html`<p class="refusal" role="alert">${shown.refusal}</p>` : nothing;

/** @param {RobotFigure} figure */
const facts = (figure) => html`
  <p class="quiet" data-figure=${figure.kind}>
    <b>${figure.is_in_force ? KINDS[figure.kind] : "Uploaded, not in force yet"}</b>:
    ${figure.name}, ${figure.links} links${
      figure.triangles ? `, ${figure.triangles} triangles` : ""
    }.
    ${
      figure.shapes
        ? nothing
        : "It has no simple collision shapes: no arm is kept clear of anything by it."
    }
  </p>
`;

/** Joints that can show a part. @param {RobotFigure} figure @param {FigureShows} part */
const fitting = (figure, part) =>
  figure.joints.filter(({ kind }) =>
    part.unit === "ratio"
      ? kind === "revolute" || kind === "prismatic"
      : part.unit
        ? TURNS.includes(kind)
        : kind === "continuous",
  );

/** @param {App} app @param {RobotFigure} figure @param {FigureShows} part */
function row(app, figure, part) {
  const key = keyOf(part);
  const name = shown.joints.get(key) ?? "";
  const joint = figure.joints.find((each) => each.name === name);
  const title = `${targetName(part.target)}: ${words(part.name).toLowerCase()}`;
  const isFixed = figure.kind !== "own" || !isAdmin(app);
  return html`
    <div class="figure-row ${shown.chosen === key ? "is-chosen" : ""}" data-shows=${key}>
      <span>${title}</span>
      ${
        isFixed
          ? html`<span class="quiet figure-joint">${name || "no joint"}</span>`
          : html`<select
            aria-label=${title}
            @change=${withValue((value) => choose(app, key, value))}
          >
            <option value="" ?selected=${!name}>no joint</option>
            ${fitting(figure, part).map(
              (each) =>
                html`<option value=${each.name} ?selected=${each.name === name}>
                  ${each.name}
                </option>`,
            )}
          </select>`
      }
      ${joint ? slider(app, key, title, part, joint) : html`<span></span>`}
      ${
        part.note && part.joint === name
          ? html`<small class="quiet">It ${part.note}.</small>`
          : nothing
      }
    </div>
  `;
}

/**
 * @param {App} app @param {string} key @param {string} title
 * @param {FigureShows} part @param {FigureJoint} joint
 */
function slider(app, key, title, part, joint) {
  const [low, high] = range(part, joint);
  return html`
    <input
      type="range"
      aria-label="Preview ${title}"
      min=${low}
      max=${high}
      step=${(high - low) / STEPS}
      .value=${String(Math.min(high, Math.max(low, 0)))}
      @focus=${() => ((shown.chosen = key), app.draw())}
      @input=${withValue((value) => preview.move(joint.name, Number(value)))}
    >
  `;
}

/** How far a part moves its joint. @param {FigureShows} part @param {FigureJoint} joint */
function range(part, joint) {
  const own = part.unit === "deg" ? part.limits.map((each) => (each * Math.PI) / 180) : [];
  if (joint.kind === "continuous") return own.length ? own : [-Math.PI, Math.PI];
  if (!own.length) return [joint.lower, joint.upper];
  return [Math.max(own[0], joint.lower), Math.min(own[1], joint.upper)];
}

/** Have a joint show a part, and no other. @param {App} app @param {string} key
 * @param {string} joint
 */
function choose(app, key, joint) {
  for (const [other, given] of shown.joints)
    if (joint && given === joint) shown.joints.set(other, "");
  shown.joints.set(key, joint);
  shown.chosen = key;
  app.draw();
}

/** @param {RobotFigure} figure */
function free(figure) {
  const used = new Set(shown.joints.values());
  const left = figure.joints.filter(({ name }) => !used.has(name)).map(({ name }) => name);
  const parts = figure.parts.filter((part) => !shown.joints.get(keyOf(part)));
  if (!left.length && !parts.length) return nothing;
  return html`
    <p class="quiet" data-unbound>
      ${left.length ? `Joints that no part moves: ${left.join(", ")}. ` : nothing}
      ${parts.length ? `Parts that no joint shows: ${parts.map(keyOf).join(", ")}.` : nothing}
    </p>
  `;
}

/** Whether joints were chosen that are not in force. @param {RobotFigure} figure */
const isChanged = (figure) =>
  figure.parts.some((part) => (shown.joints.get(keyOf(part)) ?? "") !== part.joint);

/** @param {App} app @param {RobotFigure} figure */
const changed = (app, figure) =>
  figure.kind === "own" && isAdmin(app) && isChanged(figure) ? ready(app, figure) : nothing;

/** @param {App} app @param {RobotFigure} figure */
const ready = (app, figure) => html`
  <div class="toolbar">
    <button
      class="button primary"
      type="button"
      data-apply
      ?disabled=${state.isBusy}
      @click=${() => apply(app, figure)}
    >
      ${state.isBusy ? "Applying…" : "Put in force"}
    </button>
    <button class="button" type="button" @click=${() => void load(app)}>Discard</button>
  </div>
`;

/** @param {App} app @param {RobotFigure} figure */
async function apply(app, { digest, parts }) {
  /** @type {Record<string, Record<string, string>>} */ const joints = {};
  for (const part of parts) {
    const joint = shown.joints.get(keyOf(part));
    if (!joint) continue;
    joints[part.target] ??= {};
    joints[part.target][part.name] = joint;
  }
  shown.refusal = "";
  try {
    await state.change(
      app,
      (base) => app.api.request("robot", "set_figure", { digest, joints, base }),
      true,
    );
    shown.of = -1;
  } catch (err) {
    shown.refusal = sentenceOf(err);
  }
  app.draw();
}
