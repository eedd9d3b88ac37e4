// Files from and to the robot, and lines that come for as long as somebody reads. A neighbour of
// api.js: pages ask here, they never fetch by themselves.

import { ApiError } from "./api.js";

/** Whatever went wrong, in the robot's words where it has some. @param {Response} answer */
async function refused(answer) {
  try {
    return new ApiError(await answer.json());
  } catch {
    return new ApiError({
      code: "no_answer",
      message: `The robot answered with ${answer.status}.`,
    });
  }
}

/** @param {string} path @param {RequestInit} [how] */
async function asked(path, how) {
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", cache: "no-store", ...how });
  } catch (err) {
    if (/** @type {Error} */ (err).name === "AbortError") throw err;
    throw new ApiError({ code: "no_connection", message: "No connection to the robot." });
  }
  if (!answer.ok) throw await refused(answer);
  return answer;
}

/** @param {string} path @returns {Promise<string>} */
export async function readText(path) {
  return (await asked(path)).text();
}

/** @param {string} path @returns {Promise<ArrayBuffer>} */
export async function readBytes(path) {
  return (await asked(path)).arrayBuffer();
}

/** @param {"POST" | "PUT"} method @param {object} body @returns {RequestInit} */
const asJson = (method, body) => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json" },
});

/**
 * Fetch a file and hand it to the browser to keep.
 * @param {string} path
 * @param {object} [body] what must not stand in the path
 */
export async function keepFile(path, body) {
  const answer = await asked(path, body && asJson("POST", body));
  const named = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "");
  const place = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = place;
  link.download = named?.[1] ?? "download";
  link.click();
  setTimeout(() => URL.revokeObjectURL(place), 10_000);
}

/**
 * Bring a file to the robot.
 * @template T
 * @param {string} path
 * @param {File} file
 * @returns {Promise<T>} what it says about it
 */
export async function bringFile(path, file) {
  const answer = await asked(path, {
    method: "POST",
    body: file,
    headers: { "Content-Type": "application/octet-stream" },
  });
  return answer.json();
}

/**
 * Bring a file to the robot together with what must not stand in the path.
 * @param {string} path
 * @param {File} file
 * @param {object} more
 * @returns {Promise<import("./types.js").RestoreReply>} what it says about it
 */
export async function bringSealed(path, file, more) {
  return (await asked(path, asJson("PUT", { ...more, file: await inBase64(file) }))).json();
}

/** @param {File} file @returns {Promise<string>} */
function inBase64(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(/** @type {string} */ (reader.result).replace(/^[^,]*,?/, ""));
    reader.onerror = () =>
      failed(new ApiError({ code: "unreadable", message: `${file.name} cannot be read.` }));
    reader.readAsDataURL(file);
  });
}

/**
 * One call for each JSON object of an answer that does not end.
 * @template T
 * @param {string} path
 * @param {(data: T) => void} onLine
 * @param {AbortSignal} signal
 */
export async function followLines(path, onLine, signal) {
  const answer = await asked(path, { signal });
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line) onLine(JSON.parse(line));
  }
}
