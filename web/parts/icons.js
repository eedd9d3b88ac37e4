// Icons of the pages and buttons: lines in the text's colour, 24 units wide.

import { html, svg } from "/vendor/lit-html/lit-html.js";

const PAGES = {
  dashboard: svg`<path d="M4 13a8 8 0 1 1 16 0v4H4Z"/><path d="m12 13 3.6-4.4"/>`,
  robot: svg`
    <rect x="6" y="7.5" width="12" height="9" rx="3"/>
    <path d="M12 7.5V4M9 20h6M12 16.5V20M3.5 11v3M20.5 11v3M9.6 11.8v.4M14.4 11.8v.4"/>
  `,
  nodes: svg`
    <rect x="7" y="7" width="10" height="10" rx="2"/>
    <path d="M10 7V4M14 7V4M10 20v-3M14 20v-3M7 10H4M7 14H4M20 10h-3M20 14h-3"/>
  `,
  arms: svg`
    <path d="M4 20h6M7 20v-5l4.5-6.5 5.5 3"/>
    <circle cx="7" cy="14.5" r="1.7"/>
    <circle cx="11.7" cy="8" r="1.7"/>
    <path d="M17 8.5v3.2l3 1.6M17 11.7l1.2 3.2"/>
  `,
  parts: svg`
    <rect x="7" y="4" width="10" height="16" rx="1.5"/>
    <circle cx="12" cy="9" r="2.5"/>
    <path d="M12 9h5.5M7 13.5H3.5M7 17H3.5M17 15h3.5"/>
  `,
  routes: svg`
    <circle cx="5.5" cy="6" r="2"/>
    <circle cx="5.5" cy="18" r="2"/>
    <circle cx="18.5" cy="12" r="2"/>
    <path d="M7.5 6c6 0 3.5 6 9 6M7.5 18c6 0 3.5-6 9-6"/>
  `,
  inputs: svg`
    <path d="M6 4v7M6 15v5M12 4v3M12 11v9M18 4v9M18 17v3"/>
    <circle cx="6" cy="13" r="2"/>
    <circle cx="12" cy="9" r="2"/>
    <circle cx="18" cy="15" r="2"/>
  `,
  base: svg`
    <path d="M4 13V9.5h11L19 13M3 13h18v2.5H3Z"/>
    <circle cx="7.5" cy="17.5" r="2.3"/>
    <circle cx="16.5" cy="17.5" r="2.3"/>
  `,
  drive: svg`
    <path d="M7.5 7h9A4.5 4.5 0 0 1 21 11.5c0 3-.6 5.5-2.5 5.5-2 0-2.5-3-4-3h-5c-1.5 0-2 3-4
      3C3.6 17 3 14.5 3 11.5A4.5 4.5 0 0 1 7.5 7Z"/>
    <path d="M8 9.5v3M6.5 11h3M15.5 10v.2M17.5 12v.2"/>
  `,
  operate: svg`
    <rect x="3.5" y="5" width="17" height="11" rx="1.5"/>
    <path d="M9 20h6M12 16v4M10.5 8.2v4.6l3.8-2.3Z"/>
  `,
  firmware: svg`
    <path d="M12 4v10M8 10.5l4 4 4-4"/>
    <path d="M4.5 15v3.5a1.5 1.5 0 0 0 1.5 1.5h12a1.5 1.5 0 0 0 1.5-1.5V15"/>
  `,
  logs: svg`<path d="M5 6h14M5 10h9M5 14h14M5 18h7"/>`,
  settings: svg`
    <circle cx="12" cy="12" r="3"/>
    <path d="M12 3.5v3M12 17.5v3M3.5 12h3M17.5 12h3M6 6l2.1 2.1M15.9 15.9 18 18M18 6l-2.1 2.1
      M8.1 15.9 6 18"/>
  `,
};

const OTHERS = {
  menu: svg`<path d="M4 7h16M4 12h16M4 17h16"/>`,
  close: svg`<path d="m6 6 12 12M18 6 6 18"/>`,
  person: svg`
    <circle cx="12" cy="8.5" r="3.5"/>
    <path d="M5 19.5c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5"/>
  `,
  tune: svg`
    <path d="M4 8h9M17 8h3M4 16h3M11 16h9"/>
    <circle cx="15" cy="8" r="2"/>
    <circle cx="9" cy="16" r="2"/>
  `,
  sun: svg`
    <circle cx="12" cy="12" r="4.2"/>
    <path d="M12 2.5v2.6M12 18.9v2.6M2.5 12h2.6M18.9 12h2.6M5.3 5.3l1.8 1.8M16.9 16.9l1.8 1.8
      M18.7 5.3l-1.8 1.8M7.1 16.9l-1.8 1.8"/>
  `,
  moon: svg`<path d="M20 14.2A8.3 8.3 0 0 1 9.8 4a8.3 8.3 0 1 0 10.2 10.2Z"/>`,
  search: svg`<circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5 5"/>`,
  done: svg`<path d="m5 12.5 4.5 4.5L19 7.5"/>`,
  alert: svg`<path d="M12 4 21 19.5H3Z"/><path d="M12 10v4M12 16.7v.2"/>`,
};

/** @type {Record<string, unknown>} */
const ALL = { ...PAGES, ...OTHERS };

/** @param {string} name of a page or a button @param {number} size in px */
export function icon(name, size = 22) {
  return html`<svg class="icon" viewBox="0 0 24 24" width=${size} height=${size} aria-hidden="true">
    ${ALL[name] ?? ALL.menu}
  </svg>`;
}
