// Maps the address to a page, and fetches its module and style sheet when it is first opened. Links
// between pages change the address without loading the document again.
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
  /** Rest of the address: "sim_head" of /nodes/sim_head. */
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
    addEventListener("popstate", () => address() !== this.#address && this.follow());
    addEventListener("click", (event) => this.#click(event));
    this.follow();
  }

  /** Open another page as a link does. @param {string} to its address: "/nodes/sim_head" */
  go(to) {
    if (to === this.#address || (this.page && !this.mayLeave(this.page, to))) return;
    history.pushState(null, "", to);
    this.#show(to);
  }

  /** Show the page of the address; call again to retry a failed fetch. */
  follow() {
    const to = address();
    if (to !== location.pathname || location.hash) history.replaceState(history.state, "", to);
    if (this.page && !this.mayLeave(this.page, to)) history.pushState(null, "", this.#address);
    else this.#show(to);
  }

  /** Open a link to a page here; the browser opens all others. @param {MouseEvent} event */
  #click(event) {
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey);
    const link = /** @type {Element} */ (event.target).closest?.("a[href^='/']:not([target])");
    const to = link?.getAttribute("href") ?? "";
    if (event.defaultPrevented || event.altKey || !isPlain || !this.#entry(to)) return;
    event.preventDefault();
    this.go(to);
  }

  /** @param {string} to */
  #entry(to) {
    const [, wanted] = to.split("/");
    return wanted ? this.pages.find((each) => each.name === wanted) : to && this.pages[0];
  }

  /** @param {string} to */
  async #show(to) {
    this.#address = to;
    const entry = this.#entry(to);
    const before = this.page;
    this.name = entry ? entry.name : "not-found";
    this.rest = decoded(to.split("/").slice(2).join("/"));
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

/** Other addresses of pages: what was adopted or edited once came behind the verb. */
const OTHERS = /** @type {[RegExp, string][]} */ ([
  [/^\/nodes\/adopt\/([^/]+)$/, "/nodes/$1/adopt"],
  [/^\/routes\/edit\/([^/]+)$/, "/routes/$1"],
  [/^\/api(?=\/|$)/, "/reference"],
]);

/** Return the address of the page: the path, or "#/nodes" of an older link as "/nodes". */
function address() {
  const { hash, pathname } = location;
  const path = hash.startsWith("#/") ? hash.slice(1) : pathname;
  const [other, ours] = OTHERS.find(([each]) => each.test(path)) ?? ["", ""];
  return path.replace(other, ours).replace(/(?<=.)\/$/, "");
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
