// Who this browser is for the robot: asks, claims, signs in and out. The robot answers with a
// cookie that no script can read, so nothing of it is kept here. Beside api.js the only module that
// fetches.

import { ApiError } from "./api.js";

const LIMIT_MS = 20000; // a password takes the robot up to a second, others may wait before us

/**
 * @typedef {object} Account
 * @property {string} robot
 * @property {boolean} is_claimed somebody owns this robot
 * @property {boolean} has_lost_users the robot had an owner; its users are lost
 * @property {boolean} is_secure nobody on the way can read what is sent
 * @property {string} user empty: nobody
 * @property {"" | "viewer" | "operator" | "admin"} level
 * @property {"" | "session" | "token" | "open"} via
 */

/** @returns {Promise<Account>} */
export const ask = () => exchange("GET", "/api/session");

/**
 * @param {{code: string, name: string, password: string, keeps_code: boolean}} wish
 * @returns {Promise<Account>}
 */
export const claim = (wish) => exchange("POST", "/api/claim", wish);

/** @param {{name: string, password: string} | {token: string}} wish @returns {Promise<Account>} */
export const signIn = (wish) => exchange("POST", "/api/login", wish);

/** @returns {Promise<Account>} */
export const signOut = () => exchange("POST", "/api/logout", {});

/** @param {string} method @param {string} path @param {object} [body] */
async function exchange(method, path, body) {
  let reply;
  try {
    const answer = await fetch(path, {
      method,
      body: body && JSON.stringify(body),
      headers: body ? { "Content-Type": "application/json" } : {},
      signal: AbortSignal.timeout(LIMIT_MS),
    });
    reply = await answer.json();
    if (answer.ok) return reply;
  } catch {
    throw new ApiError({
      code: "no_connection",
      message: "The robot did not answer.",
      fix: "Try again.",
    });
  }
  throw new ApiError(reply);
}
