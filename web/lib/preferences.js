// Preferences of this browser, in its local storage; without storage they last for this visit.

const PREFIX = "saint.";

/** @type {Map<string, string>} */
const visit = new Map();

/**
 * @template {string} T
 * @param {string} name
 * @param {T} otherwise default, also for a stored value that is not one of `choices`
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
    // Without storage the preference lasts for this visit.
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
