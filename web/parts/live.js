// Throttles the drawing of live values: bars at each drawing, numbers five times a second, and
// lists out of sight once a second, so that a page search and a screen reader find no old values.
// Not here: when a drawing begins (app.js).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { Directive } from "/vendor/lit-html/directive.js";
import { noChange } from "/vendor/lit-html/lit-html.js";

const READ_MS = 190; // five times a second is readable, and text is expensive to draw
const UNSEEN_MS = 990;
// about the height of a row, so that the next row is drawn before it scrolls into sight
const MARGIN = "40px";

let readAt = -Infinity;
let unseenAt = -Infinity;
/** Whether live numbers are updated in this drawing. */
export let isReading = true;
let isUnseenDue = true;

/**
 * Begin a drawing. All numbers change in the same drawing, so that text is laid out once.
 * @param {number} now
 */
export function beginDrawing(now) {
  isReading = now - readAt >= READ_MS;
  isUnseenDue = now - unseenAt >= UNSEEN_MS;
  if (isReading) readAt = now;
  if (isUnseenDue) unseenAt = now;
}

/** Make a directive that updates its value only when it is due. @param {() => boolean} isDue */
const throttled = (isDue) =>
  directive(
    class extends Directive {
      #isShown = false;

      /** @param {unknown} value */
      render(value) {
        if (this.#isShown && !isDue()) return noChange;
        this.#isShown = true;
        return value;
      }
    },
  );

/**
 * `<span class="number">${reading(fixed(value, 2))}</span>`: a number that changes many times a
 * second.
 */
export const reading = throttled(() => isReading);

/** `aria-valuenow=${rarely(value)}`: updated once a second, for screen readers. */
export const rarely = throttled(() => isUnseenDue);

/** @type {WeakSet<Element>} */
const unseen = new WeakSet();
const sight = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) unseen.delete(target);
      else unseen.add(target);
    }
  },
  { rootMargin: MARGIN },
);

/** @param {Element} list element around seen() */
export const isSeen = (list) => !unseen.has(list);

class Seen extends AsyncDirective {
  /** @type {Element | null} */ #element = null;

  /** @param {() => unknown} rows */
  render(rows) {
    return rows();
  }

  /**
   * @param {import("/vendor/lit-html/directive.js").ChildPart} part
   * @param {[() => unknown]} values
   */
  update(part, [rows]) {
    if (this.#element && unseen.has(this.#element) && !isUnseenDue) return noChange;
    if (!this.#element) {
      this.#element = /** @type {Element} */ (part.parentNode);
      sight.observe(this.#element);
    }
    return rows();
  }

  disconnected() {
    if (this.#element) sight.unobserve(this.#element);
  }

  reconnected() {
    if (this.#element) sight.observe(this.#element);
  }
}

/**
 * `<ul>${seen(() => members.map(row))}</ul>`: rows that are drawn only while their list is in
 * sight. Each list costs an observer, so group rows.
 */
export const seen = directive(Seen);
