// Sets the window title, and moves focus and scroll position when the user opens another page: the
// heading gets the focus for keyboards and screen readers, and "back" restores the scroll position.
// The tabs of a page share its heading and do not move the focus.

/** @typedef {import("../context.js").With<"api" | "dialogs" | "router" | "store">} App */

export class PageFocus {
  /** What the router shows. */ #address = "";
  /** The heading is missing until the page and its data are loaded. */ #isLoading = false;
  /** Last heading; null before the first, when the browser sets the focus. @type {string | null} */
  #name = null;
  /**
   * Scroll position by visit; the browser's history stores the visit.
   * @type {Map<number, number>}
   */
  #tops = new Map();
  #visit = 0;
  #top = 0;

  constructor() {
    history.scrollRestoration = "manual"; // the browser scrolls before the page is drawn
    addEventListener("scroll", () => (this.#top = scrollY), { passive: true });
  }

  /** Update after each drawing. @param {App} app */
  update(app) {
    const heading = /** @type {HTMLElement | null} */ (document.querySelector("#main h1"));
    const name = heading ? nameOf(heading) : "";
    setTitle(app, name);
    const address = `${app.router.name}/${app.router.rest}`;
    if (address !== this.#address) {
      this.#address = address;
      this.#leave();
    }
    if (!heading || !this.#isLoading) return;
    this.#isLoading = false;
    if (this.#name !== null && this.#name !== name) this.#arrive(app, heading);
    this.#name = name;
  }

  #leave() {
    this.#tops.set(this.#visit, this.#top);
    const known = history.state?.visit;
    this.#visit = known ?? performance.timeOrigin + performance.now();
    if (!known) history.replaceState({ visit: this.#visit }, "");
    this.#isLoading = true;
  }

  /** @param {App} app @param {HTMLElement} heading */
  #arrive(app, heading) {
    scrollTo(0, this.#tops.get(this.#visit) ?? 0);
    if (Object.values(app.dialogs).some(Boolean)) return; // the dialog has the focus
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

/** Return the heading's text without its chip. @param {HTMLElement} heading */
function nameOf(heading) {
  const isName = (/** @type {Node} */ each) =>
    each instanceof Element ? !each.matches(".chip") : each instanceof Text;
  return [...heading.childNodes]
    .filter(isName)
    .map((each) => each.textContent)
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

/** @param {App} app @param {string} name */
function setTitle(app, name) {
  const stopped = app.store.data.system?.estop?.active ? "STOPPED · " : "";
  const title = `${stopped}${name ? `${name} · ` : ""}${app.api.session.robot || "SAINT.OS"}`;
  if (document.title !== title) document.title = title;
}
