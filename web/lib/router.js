// Maps the address to a page, and fetches its module and style sheet when it is first opened.
// Not here: the content of pages (pages/), the frame around them (views/frame.js).

/** @typedef {import("../context.js").App} App */
/**
 * @typedef {Record<string, number>} Topics
 * @typedef {object} PageModule
 * @property {Topics | ((rest: string) => Topics)} topics of the page, with rates in Hz (0: every
 * change)
 * @property {(app: App, rest: string) => unknown} view
 * @property {(app: App) => unknown} [dialogs] drawn above everything but the stop
 * @property {(app: App, rest: string) => void} [open] called when the page is shown
 * @property {(app: App, rest: string) => void} [linked] called after sign-in and after each
 * reconnect, to repeat requests that failed
 * @property {(app: App) => void} [close] called when the page is left
 * @property {(app: App, to: string) => boolean} [mayLeave] false: the page opens a confirmation
 * first
 */

export class PageRouter {
  /** @type {Map<string, PageModule>} */ #known = new Map();
  /** Name of the page in the address; "not-found" for an unknown one. */
  name = "";
  /** Rest of the address: "sim_head" of #/nodes/sim_head. */
  rest = "";
  /** The page that is shown; null until it is fetched. @type {PageModule | null} */
  page = null;
  /** Why the page could not be fetched. */
  failure = "";
  /** Address of the page that is shown. */
  #address = "";

  /**
   * @param {import("../pages.js").PageEntry[]} pages the first one is shown for an empty address
   * @param {PageModule} notFound shown for an unknown address
   * @param {(page: PageModule | null, before: PageModule | null) => void} onChange
   * @param {(page: PageModule, to: string) => boolean} mayLeave
   */
  constructor(pages, notFound, onChange, mayLeave) {
    this.pages = pages;
    this.#known.set("not-found", notFound);
    this.onChange = onChange;
    this.mayLeave = mayLeave;
  }

  /** Show the page of the address, and follow its changes. */
  start() {
    addEventListener("hashchange", () => this.follow());
    this.follow();
  }

  /** Show the page of the address; call again to retry a failed fetch. */
  async follow() {
    if (this.page && !this.mayLeave(this.page, location.hash)) {
      history.replaceState(null, "", this.#address || "#");
      return;
    }
    this.#address = location.hash;
    const [wanted, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
    const entry = wanted ? this.pages.find((each) => each.name === wanted) : this.pages[0];
    const before = this.page;
    this.name = entry?.name ?? "not-found";
    this.rest = decoded(rest.join("/"));
    this.failure = "";
    this.page = this.#known.get(this.name) ?? null;
    if (entry && !this.page) {
      this.onChange(null, before);
      await this.#fetch(entry);
      if (this.name !== entry.name) return; // the address has changed again
      applySheet(entry.name);
      this.onChange(this.page, null);
    } else {
      applySheet(this.name);
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
      if (this.name === entry.name)
        this.failure = `Loading the page ${entry.title} failed. Check the network and try again.`;
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

/** Style sheet of each page that was opened. @type {Map<string, CSSStyleSheet>} */
const sheets = new Map();

/** Fetch a page's style sheet before the page is drawn without it. @param {string} name */
function style(name) {
  if (sheets.has(name)) return null;
  const href = `/pages/${name}/page.css`;
  return new Promise((done, fail) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = href;
    link.onload = () => done(storeSheet(name, /** @type {CSSStyleSheet} */ (link.sheet)));
    link.onerror = () => (link.remove(), fail(new Error(href)));
    document.head.append(link);
  });
}

/** @param {string} name @param {CSSStyleSheet} sheet */
function storeSheet(name, sheet) {
  sheet.disabled = true;
  sheets.set(name, sheet);
}

/**
 * Enable the sheet of this page and disable all others, because pages may share class names.
 * @param {string} name
 */
function applySheet(name) {
  // Not link.disabled, which drops the sheet and fetches it again, so that the page jumps.
  for (const [page, sheet] of sheets) sheet.disabled = page !== name;
}
