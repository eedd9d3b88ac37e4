// Snapshots and recordings of the picture, made by the browser: nothing is stored on the robot.

import { saveBlob } from "../../lib/transfer.js";

const LONGEST_MS = 10 * 60_000; // a recording is in this page's memory until it is saved
const LARGEST_BYTES = 300_000_000;
const KINDS = ["video/webm;codecs=vp8,opus", "video/webm", "video/mp4"];

/** Save the picture as it is shown now. @param {HTMLVideoElement} video */
export async function snapshot(video) {
  if (!video.videoWidth) throw new Error("There is no picture to save.");
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  canvas.getContext("2d")?.drawImage(video, 0, 0);
  /** @type {Promise<Blob | null>} */
  const making = new Promise((done) => canvas.toBlob(done, "image/png"));
  const made = await making;
  if (made) saveBlob(`remote-${stamp()}.png`, made);
}

export class Recording {
  /** When it began (performance.now). */ beganAt = 0;
  /** @type {MediaRecorder | null} */ #recorder = null;
  /** @type {Blob[]} */ #parts = [];
  #bytes = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */ #limit;

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  get isRunning() {
    return this.#recorder !== null;
  }

  /** Begin. @param {(MediaStream | null)[]} streams of the picture and of the sound */
  start(streams) {
    const tracks = streams.flatMap((stream) => stream?.getTracks() ?? []);
    if (!tracks.some((track) => track.kind === "video"))
      throw new Error("There is no picture to record.");
    const mimeType = KINDS.find((kind) => MediaRecorder.isTypeSupported(kind));
    const recorder = new MediaRecorder(new MediaStream(tracks), mimeType ? { mimeType } : {});
    this.#parts = [];
    this.#bytes = 0;
    recorder.ondataavailable = ({ data }) => {
      if (!data.size) return;
      this.#parts.push(data);
      this.#bytes += data.size;
      if (this.#bytes > LARGEST_BYTES) this.stop();
    };
    recorder.onstop = () => this.#save(recorder.mimeType);
    recorder.start(1000);
    this.#recorder = recorder;
    this.beganAt = performance.now();
    this.#limit = setTimeout(() => this.stop(), LONGEST_MS);
    this.changed();
  }

  /** End, and save what was recorded. */
  stop() {
    clearTimeout(this.#limit);
    const recorder = this.#recorder;
    this.#recorder = null;
    if (recorder && recorder.state !== "inactive") recorder.stop();
    this.changed();
  }

  /** @param {string} kind */
  #save(kind) {
    const parts = this.#parts;
    this.#recorder = null; // it ends by itself when the link does
    this.#parts = [];
    const ending = kind.startsWith("video/mp4") ? "mp4" : "webm";
    if (parts.length) saveBlob(`remote-${stamp()}.${ending}`, new Blob(parts, { type: kind }));
    this.changed();
  }
}

/** Date and time of this computer for a file's name: 20261126-051530. */
function stamp() {
  const now = new Date(Date.now() - new Date().getTimezoneOffset() * 60_000);
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
