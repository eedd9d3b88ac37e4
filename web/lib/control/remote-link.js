// The WebRTC link of the operator's page: picture, commands and reports. Commands are sent only
// while this page has control; a heartbeat shows that its input loop runs, so a hidden tab, whose
// timers stand still, drives nothing. No drawing.

import { ApiError, sentenceOf } from "../api.js";
import { gathered, isBroken, useServers } from "./ice.js";
import { LinkSilence } from "./link-silence.js";
import { LinkSound } from "./link-sound.js";

/** @typedef {import("../api.js").Api} Api */
/** @typedef {"closed" | "connecting" | "open" | "lost"} RemoteState */
/**
 * What the robot reports to the operator 10 times per second, to viewers 4 times
 * (lib/teleop/fields.py).
 * @typedef {object} Report
 * @property {number} seq
 * @property {number | null} echo
 * @property {number | null} echo_age_ms
 * @property {"operator" | "viewer"} seat
 * @property {string} operator
 * @property {[session: string, who: string][]} requests
 * @property {number} refused
 * @property {string} why
 * @property {boolean | null} stopped
 * @property {number | null} battery_v
 * @property {number | null} battery_percent
 * @property {number | null} speed_mps
 * @property {number | null} delay_ms
 * @property {number} speed_share
 * @property {string} room
 * @property {{camera: string, state: "live" | "none", age_ms: number | null, kbps: number}} picture
 * @property {import("./link-sound.js").SoundReport} sound
 */

const BEAT_MS = 100;
const RENEW_MS = 5000;
const STATS_MS = 500; // what has ended counts no longer than that again
const NO_PICTURE_MS = 380; // shown at the next heartbeat, 100 ms later at most
const CONNECT_LIMIT_MS = 15000;
const RETURN_LIMIT_MS = 5000; // of one attempt to make it again
const AGAIN_PAUSE_MS = 1000;
const MOST_TRIES = 6;
const LONGEST_MS = 60_000; // that a message may say
const OPEN_OPTIONS = { ordered: false, maxRetransmits: 0 };

export class RemoteLink {
  /** @type {RemoteState} */ state = "closed";
  /** Why there is no link, or why it is made again. */ problem = "";
  session = "";
  /** @type {string[]} */ cameras = [];
  /** @type {Report | null} */ report = null;
  /** @type {MediaStream | null} */ pictures = null;
  /** There and back, in ms. @type {number | null} */ roundTripMs = null;
  /** Of the picture in this browser: jitter buffer and decoder. @type {number | null} */
  decodeMs = null;
  pictureAt = -Infinity;
  /** Whether a control is held: the robot moves nothing by one that was held over a gap. */
  isHeld = () => true;
  #silence = new LinkSilence();
  #sequence = 0;
  /** @type {RTCPeerConnection | null} */ #peer = null;
  /** Lost ones: to close one says that its operator leaves. @type {Set<RTCPeerConnection>} */
  #lost = new Set();
  /** @type {RTCDataChannel | null} */ #fields = null;
  /** @type {ReturnType<typeof setInterval>[]} */ #timers = [];
  /** @type {Record<string, Record<string, number>>} */ #targets = {};
  #hadPicture = false;
  #hadControl = false;
  #tries = 0;
  /** The target that was driven last. */ #base = "";
  #sums = { delay: 0, emitted: 0, decode: 0, frames: 0 };

  /**
   * @param {() => Api} api @param {() => void} changed
   * @param {() => void} releaseControls so that what is held now moves nothing any more
   */
  constructor(api, changed, releaseControls) {
    this.api = api;
    this.changed = changed;
    this.releaseControls = releaseControls;
    this.sound = new LinkSound(changed);
  }

  /** Whether a lost link is being made again: the page stays as it is. */
  get isReturning() {
    return this.#tries > 0 && (this.state === "connecting" || this.state === "lost");
  }

  get isOperator() {
    return this.state === "open" && this.report?.seat === "operator";
  }

  /** Whether pictures arrive. @param {number} now */
  hasPicture(now) {
    return this.report?.picture.state === "live" && now - this.pictureAt < NO_PICTURE_MS;
  }

  /** Delay of a command on its way to the robot, in ms. */
  get commandMs() {
    return this.roundTripMs === null ? null : this.roundTripMs / 2;
  }

  /**
   * The age of the picture on the screen since its capture, in ms; it grows while no other comes.
   * @param {number} now
   */
  pictureMs(now) {
    const age = this.report?.picture.age_ms ?? null;
    if (age === null || this.commandMs === null || this.decodeMs === null) return null;
    const missing = now - this.pictureAt;
    return age + this.commandMs + this.decodeMs + (missing > NO_PICTURE_MS ? missing : 0);
  }

  /**
   * @param {boolean} wantsControl
   * @param {string} [replaces] this page's session whose link is lost
   */
  async connect(wantsControl, replaces = "") {
    if (!replaces) this.close();
    this.#hadControl = wantsControl;
    if (!replaces) this.#tries = 0;
    this.state = "connecting";
    if (!replaces) this.problem = "";
    this.changed();
    const peer = (this.#peer = new RTCPeerConnection());
    try {
      const waitMs = await useServers(peer, this.api());
      if (this.#peer !== peer) return;
      this.#open(peer);
      await peer.setLocalDescription(await peer.createOffer());
      await gathered(peer, waitMs);
      if (this.#peer !== peer) return;
      const reply = await this.api().request("teleop", "connect", {
        sdp: peer.localDescription?.sdp ?? "",
        wants_control: wantsControl,
        replaces,
      });
      if (this.#peer !== peer) return;
      this.#forget(); // the robot has ended the session that is replaced
      this.session = reply.session;
      this.cameras = reply.cameras;
      await peer.setRemoteDescription({ type: "answer", sdp: reply.sdp });
      this.#timers.push(setInterval(() => this.#renew(), RENEW_MS));
      const limit = replaces ? RETURN_LIMIT_MS : CONNECT_LIMIT_MS;
      setTimeout(() => this.#peer === peer && this.#giveUp(Boolean(replaces)), limit);
    } catch (err) {
      if (this.#peer !== peer) return;
      this.#end(sentenceOf(err));
      if (replaces && isOfNetwork(err)) this.#later();
      else this.#refused();
    }
  }

  /** Leave: the robot notices at once. */
  close() {
    this.#end("");
    this.#forget();
    this.state = "closed";
  }

  /**
   * Send values of a target; those of one turn travel together.
   * @param {string} target
   * @param {Record<string, number>} values
   */
  stream(target, values) {
    if (!this.isOperator) return;
    if ("linear" in values) this.#base = target;
    const isFirst = !Object.keys(this.#targets).length;
    this.#targets[target] = values;
    if (isFirst) queueMicrotask(() => this.#flush());
  }

  /** The only command of a stick is that of its release: the base that it drove gets zero. */
  command() {
    if (this.#base) this.stream(this.#base, { linear: 0, angular: 0 });
  }

  /** Say at once that no control is held: it may be again before the next heartbeat. */
  rest = () => this.#send({ rest: true });

  /** @param {"request_control" | "release_control"} action @param {object} [more] */
  async control(action, more = {}) {
    await this.api().request("teleop", action, { session: this.session, ...more });
  }

  /** @param {string} session */
  async grant(session) {
    await this.api().request("teleop", "grant_control", { session });
  }

  /** @param {RTCPeerConnection} peer */
  #open(peer) {
    const fields = (this.#fields = peer.createDataChannel("fields", OPEN_OPTIONS));
    peer.addTransceiver("video", { direction: "recvonly" });
    this.sound.offer(peer);
    peer.ontrack = (event) => {
      const stream = new MediaStream([event.track]);
      if (event.track.kind === "audio") this.sound.incoming = stream;
      else this.pictures = stream;
      // as soon as it is decoded: a late picture is worth less than an uneven one
      event.receiver.jitterBufferTarget = 0;
      this.changed();
    };
    peer.onconnectionstatechange = () => {
      if (["failed", "closed"].includes(peer.connectionState) && this.#peer === peer)
        this.#again("The link to the robot is lost.");
    };
    // A browser notices the end of its address before the missing reports are many.
    peer.oniceconnectionstatechange = () => {
      if (this.#peer === peer && this.state === "lost" && isBroken(peer))
        this.#again("The link to the robot is lost.");
    };
    // What was waiting when the link was closed comes nevertheless.
    fields.onmessage = (event) => this.#peer === peer && this.#receive(String(event.data));
    fields.onclose = () => this.#peer === peer && this.#left();
    this.#timers.push(
      setInterval(() => this.#tick(), BEAT_MS),
      setInterval(() => this.#measure(peer), STATS_MS),
    );
  }

  /** The heartbeat; also notices when no report has arrived. */
  #tick() {
    const now = performance.now();
    if (this.state === "open" && this.#silence.isLost(now, this.isOperator)) {
      this.state = "lost";
      this.problem = this.#silence.reason(now);
      this.releaseControls();
      this.changed();
    }
    const isOver = this.#silence.isLong(now) || (this.#peer && isBroken(this.#peer));
    if (this.state === "lost" && isOver) {
      this.#again(this.#silence.reason(now));
      return;
    }
    if (!document.hidden && document.hasFocus()) this.#send({ rest: !this.isHeld() });
    else {
      this.#silence.paused();
      this.sound.release();
    }
    const has = this.hasPicture(now);
    if (this.#hadPicture && !has) this.changed();
    this.#hadPicture = has;
  }

  #flush() {
    const targets = this.#targets;
    this.#targets = {};
    if (this.isOperator) this.#send({ targets });
  }

  /** @param {object} more */
  #send(more) {
    if (this.#fields?.readyState !== "open") return;
    const now = performance.now();
    const { isTalking, place } = this.sound;
    const head = { v: 1, seq: ++this.#sequence, t: now, talk: isTalking, sound: place };
    const answer = this.report && {
      ack: this.report.seq,
      ack_ms: Math.min(this.#silence.since(now), LONGEST_MS),
      picture_ms: this.#shownMs(now),
    };
    this.#fields.send(JSON.stringify({ ...head, ...answer, ...more }));
    this.#silence.sent(now);
  }

  /**
   * What the robot slows down by: unknown counts as old while the camera sends pictures.
   * @param {number} now
   */
  #shownMs(now) {
    if (this.report?.picture.state !== "live") return null;
    return Math.min(this.pictureMs(now) ?? LONGEST_MS, LONGEST_MS);
  }

  /** @param {string} text */
  #receive(text) {
    const message = JSON.parse(text); // a report, or a sign of life with its first fields only
    if (!this.report && !("seat" in message)) return;
    const report = /** @type {Report} */ ({ ...this.report, ...message });
    if (report.seq <= (this.report?.seq ?? 0)) return;
    const had = this.isOperator;
    this.#hadControl = report.seat === "operator";
    this.#tries = 0;
    const now = performance.now();
    this.#silence.arrived(now, message);
    this.report = report;
    if ("seat" in message) {
      this.state = "open";
      this.problem = "";
    }
    if (report.echo !== null) this.roundTripMs = now - report.echo - (report.echo_age_ms ?? 0);
    if (had && !this.isOperator) this.sound.release();
    if (had !== this.isOperator) this.releaseControls(); // also at its gain
    this.changed();
  }

  async #renew() {
    try {
      await this.api().request("teleop", "renew", { session: this.session });
    } catch {
      // without a lease the robot ends the session, which the page then shows
    }
  }

  /** @param {RTCPeerConnection} peer */
  async #measure(peer) {
    const stats = await peer.getStats();
    for (const each of stats.values()) {
      if (each.type !== "inbound-rtp" || each.kind !== "video") continue;
      const now = {
        delay: each.jitterBufferDelay ?? 0,
        emitted: each.jitterBufferEmittedCount ?? 0,
        decode: each.totalDecodeTime ?? 0,
        frames: each.framesDecoded ?? 0,
      };
      const before = this.#sums;
      this.#sums = now;
      const emitted = now.emitted - before.emitted;
      const frames = now.frames - before.frames;
      const waited = emitted > 0 ? (now.delay - before.delay) / emitted : 0;
      const decoded = frames > 0 ? (now.decode - before.decode) / frames : 0;
      if (frames > 0) this.decodeMs = (waited + decoded) * 1000;
    }
  }

  /** @param {boolean} isReturn */
  #giveUp(isReturn) {
    if (this.state !== "connecting") return;
    if (isReturn) this.#again("The link to the robot is lost.");
    else this.#end("No link within 15 s. From another network the robot needs a TURN server.");
  }

  #left() {
    this.#end("The robot ended the session.");
    this.#refused();
  }

  /** There is no use in trying again. */
  #refused() {
    this.#forget();
    this.#tries = 0;
    this.changed();
  }

  /**
   * Connect again after a loss, for example of this computer's address: the robot ends the old
   * session, keeps control for this one, and moves nothing until a control is released and used.
   * @param {string} problem
   */
  #again(problem) {
    if (this.#peer) this.#lost.add(this.#peer);
    this.#end(problem);
    if (this.#tries >= MOST_TRIES) {
      this.#refused();
      return;
    }
    this.#tries += 1;
    this.connect(this.#hadControl, this.session);
  }

  /** Try once more after a pause that grows. */
  #later() {
    setTimeout(
      () => this.state === "lost" && !this.#peer && this.#again(this.problem),
      AGAIN_PAUSE_MS * this.#tries,
    );
  }

  #forget() {
    for (const peer of this.#lost) peer.close();
    this.#lost.clear();
  }

  /** @param {string} problem */
  #end(problem) {
    for (const timer of this.#timers) clearInterval(timer);
    const peer = this.#peer;
    this.#timers = [];
    this.sound.close();
    this.#peer = this.#fields = this.pictures = this.report = null;
    this.roundTripMs = this.decodeMs = null;
    this.pictureAt = -Infinity;
    this.#silence = new LinkSilence();
    this.#sums = { delay: 0, emitted: 0, decode: 0, frames: 0 };
    this.#sequence = 0;
    this.#targets = {};
    if (peer && !this.#lost.has(peer)) peer.close();
    if (this.state === "closed") return;
    this.state = "lost";
    this.problem = problem;
    this.releaseControls();
    this.changed();
  }
}

/** Whether the request has not reached the robot, and may do so later. @param {unknown} err */
const isOfNetwork = (err) =>
  err instanceof ApiError && ["no_connection", "no_answer"].includes(err.code);
