// The colour theme, light or dark: the system's preference unless the user chooses one.

import { prefer } from "./preferences.js";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** @returns {"light" | "dark" | "system"} the user's choice */
export function choice() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** @returns {"light" | "dark"} the theme that is shown */
export function theme() {
  const chosen = choice();
  if (chosen !== "system") return chosen;
  return prefersDark.matches ? "dark" : "light";
}

/** Apply and store a theme. @param {"light" | "dark" | "system"} next */
export function chooseTheme(next) {
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  prefer("theme", next);
}

/** Switch between light and dark. */
export function toggleTheme() {
  chooseTheme(theme() === "dark" ? "light" : "dark");
}
