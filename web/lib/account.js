// Session requests of this browser: read the account, claim the robot, sign in, sign out. The robot
// replies with a cookie that no script can read, so no secret is stored here.

import { ApiError } from "./api.js";

const TIMEOUT_MS = 20000; // checking a password takes the robot up to 1 s, and requests queue

/**
 * @typedef {object} Account
 * @property {string} robot
 * @property {boolean} is_claimed the robot has an owner
 * @property {boolean} has_lost_users the robot had an owner; its user file is lost
 * @property {boolean} is_secure the connection is encrypted
 * @property {string} user empty: not signed in
 * @property {"" | "viewer" | "operator" | "admin"} level
 * @property {"" | "session" | "token" | "open"} via
 */

/** @returns {Promise<Account>} */
export const readAccount = () => exchange("GET", "/api/session");

/**
 * @param {{code: string, name: string, password: string, keeps_code: boolean}} body
 * @returns {Promise<Account>}
 */
export const claim = (body) => exchange("POST", "/api/claim", body);

/** @param {{name: string, password: string} | {token: string}} body @returns {Promise<Account>} */
export const signIn = (body) => exchange("POST", "/api/login", body);

/** @returns {Promise<Account>} */
export const signOut = () => exchange("POST", "/api/logout", {});

/** @param {string} method @param {string} path @param {object} [body] */
async function exchange(method, path, body) {
  let reply;
  try {
    const response = await fetch(path, {
      method,
      body: body && JSON.stringify(body),
      headers: body ? { "Content-Type": "application/json" } : {},
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    reply = await response.json();
    if (response.ok) return reply;
  } catch {
    throw new ApiError({
      code: "no_connection",
      message: "The robot did not reply.",
      fix: "Check the network and try again.",
    });
  }
  throw new ApiError(reply);
}
