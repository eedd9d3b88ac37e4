// The face wizard: choice of template, phone and parts, one step after the other, the result.

import { html, nothing } from "/vendor/lit-html/lit-html.js";
import { withValue } from "../../../lib/events.js";
import { quantity, words } from "../../../lib/format.js";
import { mayOperate } from "../../../lib/levels.js";
import { bar } from "../../../parts/bar.js";
import { reading } from "../../../parts/live.js";
import { ANY, byNumber } from "../model.js";
import { isOff, routes } from "../state.js";
import { holdToFollow } from "./hold.js";
import { faceValues, preview } from "./preview.js";
import { wizard } from "./wizard.js";

/** @typedef {import("../../../context.js").App} App */
/** @typedef {import("../../../lib/types.js").FaceStep} FaceStep */

const LIVE_MS = 1000;

/** @param {App} app */
export function faceView(app) {
  const { known, refusal, step, isReview } = wizard;
  return html`
    <p class="way-back"><a href="/routes">All routes</a></p>
    <div class="page-head">
      <h1>Map a face</h1>
      <div class="toolbar">${phone()}</div>
    </div>
    ${!known && !refusal ? html`<p class="quiet" role="status">Loading…</p>` : nothing}
    ${!known && refusal ? html`<p class="notice" role="alert">${refusal}</p>` : nothing}
    ${
      known
        ? html`<div class="face-page">
          ${isReview ? review(app) : step ? stepCard(app, step) : choice(app)} ${parts(app)}
        </div>`
        : nothing
    }
  `;
}

function phone() {
  const name = wizard.measured;
  const subject = wizard.subjects.find((each) => each.subject_name === name);
  if (!subject)
    return html`<span class="chip bad" data-phone><i class="dot"></i>No phone sends</span>`;
  const isLive = subject.tracked && subject.age_ms < LIVE_MS;
  return html`<span class="chip ${isLive ? "good" : "warn"}" data-phone>
    <i class="dot"></i>${name}: ${isLive ? `${Math.round(subject.frame_rate)} frames/s` : "no face"}
  </span>`;
}

/** @param {App} app */
function choice(app) {
  const { known, template, subjects, subject } = wizard;
  const isReady = wizard.stepsToDo.length > 1 && mayOperate(app);
  return html`
    <section class="card face-card" aria-labelledby="face-title" data-face="choice">
      <h2 id="face-title">What moves?</h2>
      <div class="segments" role="group" aria-label="Template">
        ${known?.templates.map(
          (each) => html`<label>
            <input
              type="radio"
              name="template"
              value=${each.name}
              .checked=${each.name === template}
              @change=${() => ((wizard.template = each.name), wizard.restart(), app.draw())}
            ><span>${each.title}</span>
          </label>`,
        )}
      </div>
      ${
        subjects.length > 1
          ? html`<label class="entry">
            <span>Face</span>
            <select
              name="subject"
              @change=${withValue((name) => ((wizard.subject = name), app.draw()))}
            >
              <option value=${ANY} ?selected=${subject === ANY}>Any face</option>
              ${subjects.map(
                ({ subject_name: name }) =>
                  html`<option value=${name} ?selected=${subject === name}>${name}</option>`,
              )}
            </select>
          </label>`
          : nothing
      }
      ${
        subjects.length
          ? nothing
          : html`<p class="notice is-quiet">
            No phone sends a face yet. <a href="/inputs/livelink">Inputs, LiveLink</a> shows the
            address for the capture app.
          </p>`
      }
      <p class="quiet">
        ${wizard.stepsToDo.length} short steps. Nothing is saved before the end, and nothing moves
        unless you hold a button.
      </p>
      <div class="actions">
        <button
          class="button primary"
          type="button"
          data-begin
          ?disabled=${!isReady}
          @click=${() => (wizard.go(0), app.draw())}
        >
          Begin
        </button>
      </div>
    </section>
  `;
}

/** @param {App} app @param {FaceStep} step */
function stepCard(app, step) {
  const { at, since, dueAt, refusal, stepsToDo } = wizard;
  const left = Math.ceil(Math.max(0, dueAt - performance.now()) / 1000);
  const done = since ? Math.min(1, (performance.now() - since) / (step.seconds * 1000)) : 0;
  const go = (/** @type {number} */ to) => () => (wizard.go(to), app.draw());
  return html`
    <section class="card face-card" aria-labelledby="face-title" data-face=${step.name}>
      <header>
        <h2 id="face-title">${step.title}</h2>
        <span class="quiet number">${at + 1} of ${stepsToDo.length}</span>
      </header>
      <p>${step.text}</p>
      <span class="track" role="presentation"><i ${bar(done, 0, 1)}></i></span>
      <ul class="face-inputs" aria-label="What the phone sends">
        ${at ? step.inputs.map((name) => input(app, name)) : nothing}
      </ul>
      <p class=${refusal ? "refusal" : "quiet"} role="status" data-says>
        ${refusal || says(Boolean(since), dueAt ? left : null)}
      </p>
      <div class="actions">
        <button
          class="button primary"
          type="button"
          data-measure
          ?disabled=${Boolean(since)}
          @click=${() => void wizard.measure(app)}
        >
          ${refusal ? "Measure again" : dueAt ? "Measure now" : "Measure"}
        </button>
        ${
          dueAt
            ? html`<button
              class="button"
              type="button"
              data-pause
              @click=${() => ((wizard.dueAt = 0), app.draw())}
            >
              Pause
            </button>`
            : nothing
        }
        ${
          at
            ? html`<button
              class="button"
              type="button"
              data-skip
              ?disabled=${Boolean(since)}
              @click=${go(at + 1)}
            >
              Skip
            </button>`
            : nothing
        }
        <button
          class="button plain"
          type="button"
          data-back
          ?disabled=${Boolean(since)}
          @click=${go(at - 1)}
        >
          Back
        </button>
      </div>
    </section>
  `;
}

/** @param {boolean} isMeasuring @param {number | null} left seconds until the measurement */
function says(isMeasuring, left) {
  if (isMeasuring) return "Measuring. Hold it.";
  if (left !== null) return `Hold it. Measuring in ${left} s.`;
  return "Do it, hold it, then measure. The next steps follow by themselves.";
}

/** @param {App} app @param {string} name */
function input(app, name) {
  const value = faceValues(app)[name] ?? null;
  const isAngle = /(Yaw|Pitch|Roll)$/.test(name);
  return html`<li>
    <span>${words(name)}</span>
    <span class="track"><i ${bar(value, isAngle ? -1 : 0, 1)}></i></span>
    <span class="number">${reading(value === null ? "–" : value.toFixed(2))}</span>
  </li>`;
}

/** @param {App} app */
function review(app) {
  const { made, saved, refusal } = wizard;
  const count = made?.parts.filter((part) => part.route).length ?? 0;
  if (saved)
    return html`
      <section class="card face-card" data-face="saved" role="status">
        <h2>${saved} routes are saved</h2>
        <p>The robot follows the face now, as far as nothing of higher priority drives it.</p>
        <div class="actions">
          <a class="button primary" href="/routes">Show the routes</a>
          <button class="button" type="button" @click=${() => (wizard.restart(), app.draw())}>
            Map again
          </button>
        </div>
      </section>
    `;
  return html`
    <section class="card face-card" aria-labelledby="face-title" data-face="review">
      <h2 id="face-title">${count} routes</h2>
      <p class="quiet">
        Each is named like its part, and stays a normal route. Undo on the page Routes takes all of
        them back.
      </p>
      <ul class="face-results">
        ${made?.parts.map(
          (part) => html`<li data-result=${part.part}>
            <b>${words(part.part)}</b><span class="quiet">${part.text}</span>
          </li>`,
        )}
      </ul>
      ${made?.notes.map((note) => html`<p class="notice is-quiet">${note}</p>`)}
      ${refusal ? html`<p class="refusal" role="alert" data-says>${refusal}</p>` : nothing}
      <div class="actions">
        <button
          class="button primary"
          type="button"
          data-save
          ?disabled=${!count || isOff(app)}
          @click=${() => void wizard.save(app)}
        >
          ${routes.isBusy ? "Saving…" : `Save ${count} routes`}
        </button>
        <button
          class="button plain"
          type="button"
          data-back
          @click=${() => (wizard.go(wizard.at - 1), app.draw())}
        >
          Back
        </button>
      </div>
    </section>
  `;
}

/** @param {App} app */
function parts(app) {
  const { chosen, step, at, saved } = wizard;
  if (!chosen) return nothing;
  const isChoice = at < 0;
  return html`
    <section class="card face-parts" aria-labelledby="face-parts">
      <h2 id="face-parts">Parts</h2>
      <ul>
        ${chosen.parts.map(({ name, steps }) => {
          const isMoved = Boolean(step && steps.includes(step.name));
          return isChoice ? choiceOf(app, name) : shownPart(app, name, isMoved);
        })}
      </ul>
      ${isChoice || saved ? nothing : holdToFollow(app)}
    </section>
  `;
}

/** @param {App} app @param {string} part */
function choiceOf(app, part) {
  const targets = app.robot?.targets ?? {};
  const outputs = Object.entries(targets).flatMap(([target, fields]) =>
    Object.entries(fields).flatMap(([field, spec]) =>
      spec.kind === "position" ? [`${target}.${field}`] : [],
    ),
  );
  const chosen = wizard.outputOf(part);
  return html`<li data-part=${part}>
    <label class="face-choice">
      <span>${words(part)}</span>
      <select
        name=${part}
        @change=${withValue((output) => ((wizard.outputs[part] = output), app.draw()))}
      >
        <option value="" ?selected=${!chosen}>None</option>
        ${outputs
          .sort(byNumber)
          .map((each) => html`<option value=${each} ?selected=${each === chosen}>${each}</option>`)}
      </select>
    </label>
  </li>`;
}

/** @param {App} app @param {string} part @param {boolean} isMoved */
function shownPart(app, part, isMoved) {
  const output = wizard.outputOf(part);
  if (!output) return nothing;
  const dot = output.lastIndexOf(".");
  const spec = app.robot?.targets?.[output.slice(0, dot)]?.[output.slice(dot + 1)];
  const found = wizard.made?.parts.find((each) => each.part === part);
  const [low, high] = spec?.limits ?? [0, 1];
  const value = preview.values[output] ?? null;
  return html`<li data-part=${part} ?data-moves-now=${isMoved}>
    <span class="face-part">
      <span>${words(part)}</span>
      <span class="track"><i ${bar(value, low, high, spec?.neutral ?? 0)}></i></span>
      <span class="number">${
        found?.route
          ? reading(value === null ? "ready" : quantity(value, spec?.unit ?? ""))
          : html`<span class="quiet">–</span>`
      }</span>
    </span>
  </li>`;
}
