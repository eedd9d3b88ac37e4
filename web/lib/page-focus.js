// Where somebody is: the window's title, and what happens on arriving at another place. Its heading
// gets the focus, so that a keyboard goes on there and a screen reader says its name; the way back
// leads to where one had been on a long page. A tab keeps the heading of its page and is no other
// place.

/** @typedef {import("../context.js").With<"api" | "dialogs" | "router" | "store">} App */

export class Place {
  /** What the router shows. */ #address = "";
  /** Its heading is awaited: the page is being fetched, or its data. */ #isOnTheWay = false;
  /**
   * Heading of the place where one was; null right after loading, when the browser has the say.
   * @type {string | null}
   */
  #name = null;
  /**
   * How far down one was at each visit; the browser's history remembers which one it was.
   * @type {Map<number, number>}
   */
  #tops = new Map();
  #visit = 0;
  #top = 0;

  constructor() {
    history.scrollRestoration = "manual"; // the browser would scroll what is not drawn yet
    addEventListener("scroll", () => (this.#top = scrollY), { passive: true });
  }

  /** After each drawing. @param {App} app */
  look(app) {
    const heading = /** @type {HTMLElement | null} */ (document.querySelector("#main h1"));
    const name = heading ? nameOf(heading) : "";
    say(app, name);
    const address = `${app.router.name}/${app.router.rest}`;
    if (address !== this.#address) {
      this.#address = address;
      this.#leave();
    }
    if (!heading || !this.#isOnTheWay) return;
    this.#isOnTheWay = false;
    if (this.#name !== null && this.#name !== name) this.#arrive(app, heading);
    this.#name = name;
  }

  #leave() {
    this.#tops.set(this.#visit, this.#top);
    const known = history.state?.visit;
    this.#visit = known ?? performance.timeOrigin + performance.now();
    if (!known) history.replaceState({ visit: this.#visit }, "");
    this.#isOnTheWay = true;
  }

  /** @param {App} app @param {HTMLElement} heading */
  #arrive(app, heading) {
    scrollTo(0, this.#tops.get(this.#visit) ?? 0);
    if (Object.values(app.dialogs).some(Boolean)) return; // the focus is in there
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

/** "Head", without the chip beside it. @param {HTMLElement} heading */
function nameOf(heading) {
  const isSaid = (/** @type {Node} */ each) =>
    each instanceof Element ? !each.matches(".chip") : each instanceof Text;
  return [...heading.childNodes]
    .filter(isSaid)
    .map((each) => each.textContent)
    .join("")
    .replace(/\s+/g, " ")
    .trim();
}

/** @param {App} app @param {string} name */
function say(app, name) {
  const stopped = app.store.data.system?.estop?.active ? "STOPPED · " : "";
  const title = `${stopped}${name ? `${name} · ` : ""}${app.api.session.robot || "SAINT.OS"}`;
  if (document.title !== title) document.title = title;
}
