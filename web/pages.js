// Lists the pages. A page is a folder in pages/ with a module page.js that exports `page`, and a
// style sheet page.css; both are fetched when the page is first opened.

/**
 * @typedef {object} PageEntry
 * @property {string} name of its folder and its address: /name, /name/more
 * @property {string} title
 * @property {boolean} [isHidden] not in the menu; another page links to it
 * @property {(robot: import("./lib/types.js").Description | null) => boolean} [isOf] in the menu of
 * these robots only
 * @property {() => Promise<{page: import("./lib/router.js").PageModule}>} load
 */

/** In the order of the menu. @type {PageEntry[]} */
export const PAGES = [
  { name: "dashboard", title: "Dashboard", load: () => import("./pages/dashboard/page.js") },
  { name: "robot", title: "Robot", load: () => import("./pages/robot/page.js") },
  {
    name: "arms",
    title: "Arms",
    isOf: (robot) => Object.keys(robot?.arms ?? {}).length > 0,
    load: () => import("./pages/arms/page.js"),
  },
  { name: "parts", title: "Parts", load: () => import("./pages/parts/page.js") },
  { name: "nodes", title: "Nodes", load: () => import("./pages/nodes/page.js") },
  { name: "routes", title: "Routes", load: () => import("./pages/routes/page.js") },
  { name: "inputs", title: "Inputs", load: () => import("./pages/inputs/page.js") },
  { name: "drive", title: "Drive", load: () => import("./pages/drive/page.js") },
  {
    name: "base",
    title: "Base",
    isOf: (robot) => Boolean(robot?.targets.wagon),
    load: () => import("./pages/base/page.js"),
  },
  { name: "operate", title: "Remote", load: () => import("./pages/operate/page.js") },
  { name: "firmware", title: "Firmware", load: () => import("./pages/firmware/page.js") },
  { name: "logs", title: "Logs", load: () => import("./pages/logs/page.js") },
  { name: "settings", title: "Settings", load: () => import("./pages/settings/page.js") },
  {
    name: "stop-test",
    title: "Stop test",
    load: () => import("./pages/stop-test/page.js"),
    isHidden: true,
  },
  {
    name: "self-test",
    title: "Self-test",
    load: () => import("./pages/self-test/page.js"),
    isHidden: true,
  },
  {
    name: "reference",
    title: "API",
    load: () => import("./pages/reference/page.js"),
    isHidden: true,
  },
];

/**
 * Return the pages of the menu.
 * @param {import("./context.js").With<"robot">} app
 */
export const menuPages = ({ robot }) =>
  PAGES.filter(({ isHidden, isOf }) => !isHidden && (isOf?.(robot) ?? true));
