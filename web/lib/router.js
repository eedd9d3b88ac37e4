// Which page the address asks for, and its module, fetched when it is first opened.
// Not here: what a page shows (pages/), what stands around it (views/page.js).

/** @typedef {import("../context.js").App} App */
/**
 * @typedef {Record<string, number>} Topics
 * @typedef {object} PageModule
 * @property {Topics | ((rest: string) => Topics)} topics what it needs, with rates in Hz (0: every
 * change)
 * @property {(app: App, rest: string) => unknown} view
 * @property {(app: App) => unknown} [dialogs] drawn above everything but the stop
 * @property {(app: App, rest: string) => void} [open] called when the page is shown
 * @property {(app: App, rest: string) => void} [linked] called after sign-in and after each
 * reconnect, to repeat requests that failed
 * @property {(app: App) => void} [close] called when the page is left
 * @property {(app: App, to: string) => boolean} [mayLeave] false: the page asks for confirmation
 * first
 */

export class Router {
  /** @type {Map<string, PageModule>} */ #known = new Map();
  /** Name of the page that the address asks for; "nowhere" when there is none. */
  name = "";
  /** What follows it: "sim_head" of #/nodes/sim_head. */
  rest = "";
  /** The page that is shown; null until it was fetched. @type {PageModule | null} */
  page = null;
  /** Why it could not be fetched. */
  failure = "";
  /** What is shown. */
  #address = "";

  /**
   * @param {import("../pages.js").PageEntry[]} pages the first one is shown where none is asked for
   * @param {PageModule} nowhere what an address shows that leads to none
   * @param {(page: PageModule | null, before: PageModule | null) => void} onChange
   * @param {(page: PageModule, to: string) => boolean} mayLeave
   */
  constructor(pages, nowhere, onChange, mayLeave) {
    this.pages = pages;
    this.#known.set("nowhere", nowhere);
    this.onChange = onChange;
    this.mayLeave = mayLeave;
  }

  /** Go by the address from now on. */
  start() {
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** Show what the address asks for; also the way to try again. */
  async follow() {
    if (this.page && !this.mayLeave(this.page, location.hash)) {
      history.replaceState(null, "", this.#address || "#");
      return;
    }
    this.#address = location.hash;
    const [asked, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
    const entry = asked ? this.pages.find((each) => each.name === asked) : this.pages[0];
    const before = this.page;
    this.name = entry?.name ?? "nowhere";
    this.rest = decoded(rest.join("/"));
    this.failure = "";
    this.page = this.#known.get(this.name) ?? null;
    if (entry && !this.page) {
      this.onChange(null, before);
      await this.#fetch(entry);
      if (this.name !== entry.name) return; // somebody went on meanwhile
      wear(entry.name);
      this.onChange(this.page, null);
    } else {
      wear(this.name);
      this.onChange(this.page, before);
    }
  }

  /** @param {import("../pages.js").PageEntry} entry */
  async #fetch(entry) {
    try {
      const [module] = await Promise.all([entry.load(), style(entry.name)]);
      this.#known.set(entry.name, module.page);
      if (this.name === entry.name) this.page = module.page;
    } catch {
      if (this.name === entry.name) this.failure = `The page ${entry.title} could not be fetched.`;
    }
  }
}

/** @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Of each page that was opened. @type {Map<string, CSSStyleSheet>} */
const sheets = new Map();

/** Fetched before its page is shown, which would jump when it arrives. @param {string} name */
function style(name) {
  if (sheets.has(name)) return null;
  const href = `/pages/${name}/page.css`;
  return new Promise((done, fail) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => done(keep(name, /** @type {CSSStyleSheet} */ (link.sheet)));
    link.onerror = () => (link.remove(), fail(new Error(href)));
    document.head.append(link);
  });
}

/** @param {string} name @param {CSSStyleSheet} sheet */
function keep(name, sheet) {
  sheet.disabled = true;
  sheets.set(name, sheet);
}

/**
 * The sheet of this page and of no other: what two pages call by one name may look different.
 * @param {string} name
 */
function wear(name) {
  // Not link.disabled: that forgets the sheet and fetches it again, and the page would jump.
  for (const [page, sheet] of sheets) sheet.disabled = page !== name;
}
