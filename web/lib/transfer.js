// Downloads and uploads files over HTTP, and follows endless replies line by line. Pages call this
// module and api.js and never fetch by themselves.

import { ApiError } from "./api.js";

/** Read the robot's error from a response. @param {Response} response */
async function errorOf(response) {
  try {
    return new ApiError(await response.json());
  } catch {
    return new ApiError({
      code: "no_answer",
      message: `The request failed with HTTP status ${response.status}.`,
    });
  }
}

/** @param {string} path @param {RequestInit} [options] */
async function request(path, options) {
  let response;
  try {
    response = await fetch(path, { credentials: "same-origin", cache: "no-store", ...options });
  } catch (err) {
    if (/** @type {Error} */ (err).name === "AbortError") throw err;
    throw new ApiError({ code: "no_connection", message: "No connection to the robot." });
  }
  if (!response.ok) throw await errorOf(response);
  return response;
}

/** @param {string} path @returns {Promise<string>} */
export async function readText(path) {
  return (await request(path)).text();
}

/** @param {string} path @returns {Promise<ArrayBuffer>} */
export async function readBytes(path) {
  return (await request(path)).arrayBuffer();
}

/** @param {"POST" | "PUT"} method @param {object} body @returns {RequestInit} */
const asJson = (method, body) => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});

/**
 * Download a file.
 * @param {string} path
 * @param {object} [body] parameters that must not appear in the path, such as a passphrase
 */
export async function downloadFile(path, body) {
  const response = await request(path, body && asJson("POST", body));
  const named = /filename="([^"]+)"/.exec(response.headers.get("Content-Disposition") ?? "");
  save(named?.[1] ?? "download", await response.blob());
}

/** Save what this page has made. @param {string} name @param {Blob} content */
export const saveBlob = (name, content) => save(name, content);

/** Save a text that is already here as a file. @param {string} name @param {string} text */
export const saveText = (name, text) => save(name, new Blob([text], { type: "text/plain" }));

/** @param {string} name @param {Blob} content */
function save(name, content) {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/**
 * Upload a file to the robot.
 * @template T
 * @param {string} path
 * @param {File} file
 * @returns {Promise<T>}
 */
export async function uploadFile(path, file) {
  const response = await request(path, {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/octet-stream" },
  });
  return response.json();
}

/**
 * Upload a file to the robot with parameters that must not appear in the path.
 * @param {string} path
 * @param {File} file
 * @param {object} more
 * @returns {Promise<import("./types.js").RestoreReply>}
 */
export async function uploadWithSecret(path, file, more) {
  return (await request(path, asJson("PUT", { ...more, file: await toBase64(file) }))).json();
}

/** @param {File} file @returns {Promise<string>} */
function toBase64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(/** @type {string} */ (reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () =>
      failed(new ApiError({ code: "unreadable", message: `Reading ${file.name} failed.` }));
    reader.readAsDataURL(file);
  });
}

/**
 * Call `onLine` for each JSON object of an endless response.
 * @template T
 * @param {string} path
 * @param {(data: T) => void} onLine
 * @param {AbortSignal} signal
 */
export async function followLines(path, onLine, signal) {
  const response = await request(path, { signal });
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) onLine(JSON.parse(line));
  }
}
