// The sound of the operator's page both ways: the robot's microphone is played, and this
// computer's is sent while the talk button is held. The robot plays it only then, and only the
// operator's. No drawing.

/** @typedef {"off" | "live" | "none"} MicrophoneState */
/** @typedef {"off" | "ready" | "speaking" | "none"} LoudspeakerState */
/**
 * Levels in dB below full scale, measured at the robot. Places are roles, whose nodes have sound,
 * and "server".
 * @typedef {object} SoundReport
 * @property {string} place of the microphone; empty: none
 * @property {string} loudspeaker_place
 * @property {string[]} places that may be chosen
 * @property {MicrophoneState} microphone
 * @property {number | null} microphone_db
 * @property {LoudspeakerState} loudspeaker
 * @property {number | null} loudspeaker_db
 * @property {string} problem
 */

const OPTIONS = { echoCancellation: true, noiseSuppression: true, autoGainControl: true };
const NEEDS_HTTPS = "The browser gives a page its microphone over HTTPS only: see Settings.";

export class LinkSound {
  /** The talk button is held, and this computer's microphone is open. */
  isTalking = false;
  /** Whether the robot's sound is played here. */
  isOn = true;
  /** Which place to listen at and to speak through; empty: the robot chooses. */
  place = "";
  /** Why this computer's microphone is not sent. */
  problem = "";
  /** What the robot sends. @type {MediaStream | null} */ incoming = null;
  #isHeld = false;
  /** @type {MediaStreamTrack | null} */ #own = null;
  /** @type {RTCRtpSender | null} */ #sender = null;

  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /**
   * Add the sound to an offer: both ways, as a viewer may get control later.
   * @param {RTCPeerConnection} peer
   */
  offer(peer) {
    this.#sender = peer.addTransceiver("audio", { direction: "sendrecv" }).sender;
  }

  /** Speak while held; the first time opens the microphone. */
  async press() {
    if (this.#isHeld) return;
    this.#isHeld = true;
    this.problem = "";
    try {
      this.#own ??= await microphone();
      if (!this.#isHeld) return;
      this.#own.enabled = true;
      await this.#sender?.replaceTrack(this.#own);
      this.isTalking = this.#isHeld;
    } catch (err) {
      this.#isHeld = false;
      this.problem = reason(err);
    }
    this.changed();
  }

  /** Send nothing more. */
  release() {
    if (!this.#isHeld && !this.isTalking) return;
    this.#isHeld = this.isTalking = false;
    if (this.#own) this.#own.enabled = false;
    this.#sender?.replaceTrack(null).catch(() => {}); // the link may have ended
    this.changed();
  }

  /** Play the robot's sound or not. */
  toggle() {
    this.isOn = !this.isOn;
    this.changed();
  }

  /** Listen and speak elsewhere; the next message says so. @param {string} place */
  choose(place) {
    this.place = place;
    this.release(); // what is being said is meant for the place before
    this.changed();
  }

  /** End with the link, and release the microphone. */
  close() {
    this.release();
    this.#own?.stop();
    this.#own = this.#sender = this.incoming = null;
    this.problem = "";
  }
}

async function microphone() {
  if (!navigator.mediaDevices) throw new Error(NEEDS_HTTPS);
  const stream = await navigator.mediaDevices.getUserMedia({ audio: OPTIONS });
  return /** @type {MediaStreamTrack} */ (stream.getAudioTracks()[0]);
}

/** @param {unknown} err */
function reason(err) {
  const name = err instanceof DOMException ? err.name : "";
  if (name === "NotAllowedError") return "The browser does not allow this page its microphone.";
  if (name === "NotFoundError") return "This computer has no microphone.";
  return err instanceof Error ? err.message : String(err);
}
