// How often what lives is drawn: a bar at every drawing, a number as often as a person can read
// one, and what nobody sees once a second, so that searching the page and reading it aloud find no
// old values. Not here: when a drawing begins (app.js), what a value looks like (bar.js, the
// pages).

import { AsyncDirective, directive } from "/vendor/lit-html/async-directive.js";
import { Directive } from "/vendor/lit-html/directive.js";
import { noChange } from "/vendor/lit-html/lit-html.js";

const READ_MS = 190; // five times a second: whoever reads sees the digits, and text is dear to draw
const UNSEEN_MS = 990;
// a row is about this high: the next one is there already when it is scrolled into sight
const MARGIN = "40px";

let readAt = -Infinity;
let unseenAt = -Infinity;
/** Whether numbers that change all the time are due in this drawing. */
export let isReading = true;
let isUnseenDue = true;

/**
 * A drawing begins. All numbers change in the same ones: text that changes is laid out once.
 * @param {number} now
 */
export function beginDrawing(now) {
  isReading = now - readAt >= READ_MS;
  isUnseenDue = now - unseenAt >= UNSEEN_MS;
  if (isReading) readAt = now;
  if (isUnseenDue) unseenAt = now;
}

/** Something that is drawn at first, and then whenever it is due. @param {() => boolean} isDue */
const paced = (isDue) =>
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
export const reading = paced(() => isReading);

/** `aria-valuenow=${rarely(value)}`: for those who hear it, once a second. */
export const rarely = paced(() => isUnseenDue);

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

/** @param {Element} list of seen() */
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
 * `<ul>${seen(() => members.map(row))}</ul>`: rows that live, made only while their list is in
 * sight. A browser asks of each list at every drawing where it is: better ten rows in one than one
 * by one.
 */
export const seen = directive(Seen);
