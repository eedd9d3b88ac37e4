// Light or dark: the system's preference until a person chooses.

import { prefer } from "./preferences.js";

const prefersDark = matchMedia("(prefers-color-scheme: dark)");

/** @returns {"light" | "dark" | "system"} what was chosen */
export function choice() {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

/** @returns {"light" | "dark"} what is shown now */
export function theme() {
  const chosen = choice();
  if (chosen !== "system") return chosen;
  return prefersDark.matches ? "dark" : "light";
}

/** Show it and remember it. @param {"light" | "dark" | "system"} next */
export function chooseTheme(next) {
  if (next === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = next;
  prefer("theme", next);
}

/** Switch to the other one and remember it. */
export function toggleTheme() {
  chooseTheme(theme() === "dark" ? "light" : "dark");
}
