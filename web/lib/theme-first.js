// Runs before the first paint (a plain script, not a module), so that a chosen theme never flashes.
try {
  const chosen = localStorage.getItem("saint.theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // No storage: the system's preference is in force.
}
