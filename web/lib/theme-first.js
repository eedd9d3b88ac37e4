// Sets the chosen theme before the first paint, to avoid a flash; a plain script, not a module.
try {
  const chosen = localStorage.getItem("saint.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Without storage the system's preference applies.
}
