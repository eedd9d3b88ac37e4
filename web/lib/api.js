// The network connection of the pages: one WebSocket that reconnects by itself with a growing pause
// (reconnect, backoff), and the upload of a release.

/** @typedef {"connecting" | "open" | "lost" | "locked"} LinkState */
/** @typedef {import("./types.js").Actions} Actions */
/** @typedef {import("./types.js").States} States */

/**
 * @template {keyof Actions} Group
 * @template {keyof Actions[Group]} Name
 * @typedef {Actions[Group][Name] extends {params: infer P} ? P : never} Params
 */
/**
 * @template {keyof Actions} Group
 * @template {keyof Actions[Group]} Name
 * @typedef {Actions[Group][Name] extends {reply: infer R} ? R : never} Reply
 */

/**
 * @typedef {object} Session
 * @property {string} client_id
 * @property {string} robot
 * @property {boolean} token_required
 * @property {string} [server_address] address that phones and other devices can reach
 * @property {string} user empty: not signed in
 * @property {"" | "viewer" | "operator" | "admin"} level
 * @property {"" | "session" | "token" | "open"} via
 *
 * @typedef {object} Listener
 * @property {<Topic extends keyof States>(topic: Topic, data: States[Topic]) => void} onState
 * @property {() => void} onLink
 * @property {(err: ApiError) => Promise<boolean>} mayLoseStops
 */

const DEAD_MS = 1200; // the server sends a message at least every 500 ms
const STALE_MS = 750; // one message is overdue
const CONNECT_TIMEOUT_MS = 4000;
const REPLY_TIMEOUT_MS = 15000;
const FIRST_RECONNECT_PAUSE_MS = 250;
const LONGEST_RECONNECT_PAUSE_MS = 5000;
const STREAM_BYTES = 256; // two samples

/** @type {Session} */
const NO_SESSION = {
  client_id: "",
  robot: "",
  token_required: true,
  user: "",
  level: "",
  via: "",
};
const TIMED_OUT = "No reply from the robot for 15 s. Check whether the action took effect.";
const NOT_SIGNED_IN = {
  code: "unauthorized",
  message: "You are not signed in.",
  fix: "Sign in first.",
};

/** An error that the robot returned, with its message and fix. */
export class ApiError extends Error {
  /** @param {{code: string, message: string, fix?: string, names?: string[]}} problem */
  constructor({ code, message, fix = "", names = [] }) {
    super(message);
    this.code = code;
    this.fix = fix;
    this.names = names; // stops that a repeated request must confirm
  }
}

/** Wrap any exception as an ApiError. @param {unknown} err */
export function problemOf(err) {
  if (err instanceof ApiError) return err;
  return new ApiError({ code: "failed", message: err instanceof Error ? err.message : `${err}` });
}

/** Return the message and the fix of an error as one text. @param {unknown} err */
export function sentenceOf(err) {
  const { message, fix } = problemOf(err);
  return [message, fix].filter(Boolean).join(" ");
}

export class Api {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<string, {done: (data: unknown) => void, fail: (err: Error) => void}>} */
  #waiting = new Map();
  #count = 0;
  #pause = FIRST_RECONNECT_PAUSE_MS;
  #receivedAt = 0;
  #openedAt = 0;
  #retryTimer = 0;
  #clientId = `page-${Math.random().toString(36).slice(2, 8)}`;
  /** @type {LinkState} */ state = "connecting";
  /** Time of the next reconnect (performance.now), while the connection is lost. */
  retryAt = 0;
  /** Reply of the server to `auth`. */
  session = NO_SESSION;

  /**
   * @param {Record<string, number>} topics to subscribe, with their rates in Hz (0: every change)
   * @param {Listener} listener
   */
  constructor(topics, listener) {
    this.topics = topics;
    this.listener = listener;
  }

  /** Connect now, and reconnect whenever the connection is lost. */
  start() {
    setInterval(() => this.#checkConnection(), 200);
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.state === "lost") this.retry();
    });
    this.#connect();
  }

  /**
   * Whether a message of the server is overdue, so that what is shown may be old.
   * @param {number} now
   */
  isSilent(now) {
    return this.state === "open" && now - this.#receivedAt > STALE_MS;
  }

  /** Reconnect at once. */
  retry() {
    if (this.state === "open" || this.#socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.#retryTimer);
    this.#pause = FIRST_RECONNECT_PAUSE_MS;
    this.#connect();
  }

  /**
   * Subscribe to these topics, and unsubscribe from all others.
   * @param {Record<string, number>} topics with their rates in Hz (0: every change)
   */
  subscribe(topics) {
    const before = this.topics;
    this.topics = topics;
    if (this.state !== "open") return;
    const gone = Object.keys(before).filter((name) => !(name in topics));
    if (gone.length) this.#send({ type: "unsubscribe", topics: gone });
    const isNew = (/** @type {[string, number]} */ [name, rate]) => before[name] !== rate;
    this.#sendSubscriptions(Object.entries(topics).filter(isNew));
  }

  /**
   * Request one action and wait for its reply. A change that removes a stop is confirmed by the
   * user first.
   * @template {keyof Actions} Group
   * @template {keyof Actions[Group]} Name
   * @param {Group} type group of the action, "management"
   * @param {Name} action
   * @param {Params<Group, Name>} [params]
   * @param {number} [limitMs] until which the reply must be there
   * @returns {Promise<Reply<Group, Name>>}
   */
  async request(type, action, params, limitMs = REPLY_TIMEOUT_MS) {
    const given = params ?? {};
    if (this.state === "locked") throw new ApiError(NOT_SIGNED_IN);
    try {
      return await this.#exchange({ type, action, params: given }, limitMs);
    } catch (err) {
      const isStop = err instanceof ApiError && err.code === "stop_changed";
      if (!isStop || !(await this.listener.mayLoseStops(err))) throw err;
      const confirmed = Object.assign({}, given, { confirm: err.names });
      return this.#exchange({ type, action, params: confirmed });
    }
  }

  /**
   * Send a command without waiting for a reply.
   * @param {string} target
   * @param {string} action
   * @param {object} params
   */
  command(target, action, params) {
    if (this.state === "open") this.#send({ type: "command", target, action, params });
  }

  /**
   * Send one sample of a stick; there is no reply. A sample is dropped while earlier ones are still
   * in the socket's buffer, because the next sample is newer.
   * @param {string} target
   * @param {Record<string, number>} values by field
   */
  stream(target, values) {
    if (this.state !== "open" || (this.#socket?.bufferedAmount ?? 0) > STREAM_BYTES) return;
    this.#send({ type: "input", target, values, time_ms: Math.round(performance.now()) });
  }

  /**
   * Upload a release to the robot.
   * @param {File} file
   * @param {(sent: number) => void} onProgress
   * @returns {{reply: Promise<import("./types.js").Release>, cancel: () => void}}
   */
  upload(file, onProgress) {
    const request = new XMLHttpRequest(); // fetch reports no upload progress
    const reply = new Promise((done, fail) => {
      const broken = () =>
        fail(
          new ApiError({
            code: "no_connection",
            message: "The connection closed before the robot replied.",
            fix: "Check the network and upload the file again.",
          }),
        );
      request.upload.onprogress = (event) => onProgress(event.loaded);
      request.onload = () => {
        const body = parseJson(request.responseText);
        if (request.status === 200 && body) done(body);
        else if (body?.message) fail(new ApiError(body));
        else broken();
      };
      request.onerror = broken;
      request.onabort = () => fail(new ApiError({ code: "stopped", message: "Upload cancelled." }));
      request.open("POST", "/api/firmware");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.send(file);
    });
    return { reply, cancel: () => request.abort() };
  }

  #connect() {
    this.#drop();
    this.#openedAt = performance.now();
    this.#receivedAt = this.#openedAt;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/ws`);
    this.#socket = socket;
    socket.onopen = () => this.#authenticate().catch(() => {});
    socket.onmessage = (event) => socket === this.#socket && this.#receive(event.data);
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  /**
   * Authenticate by the session cookie of the handshake; show the sign-in page if it is refused.
   */
  async #authenticate() {
    try {
      this.session = await this.#exchange({ type: "auth", client_id: this.#clientId });
    } catch (err) {
      if (err instanceof ApiError && err.code === "unauthorized") {
        this.#drop();
        this.#setState("locked");
      }
      throw err;
    }
    this.#pause = FIRST_RECONNECT_PAUSE_MS;
    this.#setState("open");
    this.#sendSubscriptions(Object.entries(this.topics));
  }

  /** @param {[string, number][]} topics */
  #sendSubscriptions(topics) {
    const rates = new Map();
    for (const [topic, rate] of topics) rates.set(rate, [...(rates.get(rate) ?? []), topic]);
    for (const [rate_hz, topics] of rates) this.#send({ type: "subscribe", topics, rate_hz });
  }

  /** @param {string} text */
  #receive(text) {
    this.#receivedAt = performance.now();
    const message = JSON.parse(text);
    if (message.type === "state") {
      this.listener.onState(message.node, message.data);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    this.#waiting.delete(message.id);
    if (message.status === "ok") waiting.done(message.data);
    else waiting.fail(new ApiError(message.error));
  }

  /**
   * @template T
   * @param {object} message
   * @param {number} [limitMs]
   * @returns {Promise<T>} the reply, whose type the robot has checked
   */
  #exchange(message, limitMs = REPLY_TIMEOUT_MS) {
    const id = String(++this.#count);
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        fail(new ApiError({ code: "no_answer", message: TIMED_OUT }));
      }, limitMs);
      this.#waiting.set(id, {
        done: (data) => (clearTimeout(timer), done(/** @type {T} */ (data))),
        fail: (err) => (clearTimeout(timer), fail(err)),
      });
      if (!this.#send({ id, ...message })) this.#failAll();
    });
  }

  /** @param {object} message */
  #send(message) {
    if (this.#socket?.readyState !== WebSocket.OPEN) return false;
    this.#socket.send(JSON.stringify(message));
    return true;
  }

  /** Detect a dead connection that the browser still reports as open. */
  #checkConnection() {
    const now = performance.now();
    if (this.state === "open" && now - this.#receivedAt > DEAD_MS) this.#lost();
    const isStuck = this.#socket?.readyState === WebSocket.CONNECTING;
    if (isStuck && now - this.#openedAt > CONNECT_TIMEOUT_MS) this.#lost();
    if (this.state === "lost") this.listener.onLink();
  }

  #lost() {
    this.#drop();
    this.#failAll();
    const pause = this.#pause * (0.8 + 0.4 * Math.random());
    this.#pause = Math.min(LONGEST_RECONNECT_PAUSE_MS, this.#pause * 2);
    this.retryAt = performance.now() + pause;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#connect(), pause);
    this.#setState("lost");
  }

  #drop() {
    const old = this.#socket;
    this.#socket = null;
    if (old && old.readyState <= WebSocket.OPEN) old.close();
  }

  #failAll() {
    const lost = new ApiError({ code: "no_connection", message: "No connection to the robot." });
    for (const { fail } of this.#waiting.values()) fail(lost);
    this.#waiting.clear();
  }

  /** @param {LinkState} state */
  #setState(state) {
    this.state = state;
    this.listener.onLink();
  }
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
