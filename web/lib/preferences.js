// What a person chose for this browser alone. Kept in its storage; without storage for this visit
// only.

const PREFIX = "saint.";

/** @type {Map<string, string>} */
const visit = new Map();

/**
 * @template {string} T
 * @param {string} name
 * @param {T} otherwise when nothing was chosen, or what is not one of `choices`
 * @param {readonly T[]} [choices]
 * @returns {T}
 */
export function preference(name, otherwise, choices) {
  const found = visit.get(name) ?? stored(name);
  if (found === null || (choices && !choices.includes(/** @type {T} */ (found)))) return otherwise;
  return /** @type {T} */ (found);
}

/** @param {string} name @param {string} value */
export function prefer(name, value) {
  visit.set(name, value);
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Asked again next time.
  }
}

/** @param {string} name */
function stored(name) {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}
