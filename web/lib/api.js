// The only module that talks to the network: one WebSocket that comes back by itself,
// and the upload of a release.

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
 * @property {string} [server_address] where phones and others find it
 * @property {string} user empty: nobody
 * @property {"" | "viewer" | "operator" | "admin"} level
 * @property {"" | "session" | "token" | "open"} via
 *
 * @typedef {object} Listener
 * @property {<Topic extends keyof States>(topic: Topic, data: States[Topic]) => void} onState
 * @property {() => void} onLink
 * @property {(err: ApiError) => Promise<boolean>} mayLoseStops
 */

const SILENCE_MS = 1200; // the server speaks at least every 500 ms
const DOUBT_MS = 750; // one of its words is overdue
const CONNECT_LIMIT_MS = 4000;
const REPLY_LIMIT_MS = 15000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;
const STREAM_BYTES = 256; // two readings

/** @type {Session} */
const NOBODY_YET = {
  client_id: "",
  robot: "",
  token_required: true,
  user: "",
  level: "",
  via: "",
};
const NOBODY = {
  code: "unauthorized",
  message: "Nobody is signed in on this page.",
  fix: "Sign in first.",
};

/** A refusal of the robot, in its own words. */
export class ApiError extends Error {
  /** @param {{code: string, message: string, fix?: string, names?: string[]}} problem */
  constructor({ code, message, fix = "", names = [] }) {
    super(message);
    this.code = code;
    this.fix = fix;
    this.names = names; // what a request must confirm to be carried out all the same
  }
}

/** Whatever went wrong as the robot would tell it. @param {unknown} err */
export function problemOf(err) {
  if (err instanceof ApiError) return err;
  return new ApiError({ code: "failed", message: err instanceof Error ? err.message : `${err}` });
}

/** What went wrong and what to do. @param {unknown} err */
export function sentenceOf(err) {
  const { message, fix } = problemOf(err);
  return [message, fix].filter(Boolean).join(" ");
}

export class Api {
  /** @type {WebSocket | null} */ #socket = null;
  /** @type {Map<string, {done: (data: unknown) => void, fail: (err: Error) => void}>} */
  #waiting = new Map();
  #count = 0;
  #pause = FIRST_PAUSE_MS;
  #heardAt = 0;
  #openedAt = 0;
  #retryTimer = 0;
  #clientId = `page-${Math.random().toString(36).slice(2, 8)}`;
  /** @type {LinkState} */ state = "connecting";
  /** When the next try begins (performance.now), while the connection is lost. */
  retryAt = 0;
  /** What the server told when it let us in. */
  session = NOBODY_YET;

  /**
   * @param {Record<string, number>} topics to subscribe, with their rates in Hz (0: every change)
   * @param {Listener} listener
   */
  constructor(topics, listener) {
    this.topics = topics;
    this.listener = listener;
  }

  /** Connect now and stay connected. */
  start() {
    setInterval(() => this.#watch(), 200);
    addEventListener("online", () => this.retry());
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden && this.state === "lost") this.retry();
    });
    this.#connect();
  }

  /** Connected as far as anybody said, but what is shown may be old. @param {number} now */
  isSilent(now) {
    return this.state === "open" && now - this.#heardAt > DOUBT_MS;
  }

  /** Do not wait for the next try. */
  retry() {
    if (this.state === "open" || this.#socket?.readyState === WebSocket.CONNECTING) return;
    clearTimeout(this.#retryTimer);
    this.#pause = FIRST_PAUSE_MS;
    this.#connect();
  }

  /**
   * From now on the states of these topics, and of no others.
   * @param {Record<string, number>} topics with their rates in Hz (0: every change)
   */
  want(topics) {
    const before = this.topics;
    this.topics = topics;
    if (this.state !== "open") return;
    const gone = Object.keys(before).filter((name) => !(name in topics));
    if (gone.length) this.#send({ type: "unsubscribe", topics: gone });
    const isNew = (/** @type {[string, number]} */ [name, rate]) => before[name] !== rate;
    this.#subscribe(Object.entries(topics).filter(isNew));
  }

  /**
   * Request one action and wait for its reply. What would take a stop away is asked about first.
   * @template {keyof Actions} Group
   * @template {keyof Actions[Group]} Name
   * @param {Group} type group of the action, "management"
   * @param {Name} action
   * @param {Params<Group, Name>} [params]
   * @returns {Promise<Reply<Group, Name>>}
   */
  async request(type, action, params) {
    const given = params ?? {};
    if (this.state === "locked") throw new ApiError(NOBODY);
    try {
      return await this.#ask({ type, action, params: given });
    } catch (err) {
      const isStop = err instanceof ApiError && err.code === "stop_changed";
      if (!isStop || !(await this.listener.mayLoseStops(err))) throw err;
      const confirmed = Object.assign({}, given, { confirm: err.names });
      return this.#ask({ type, action, params: confirmed });
    }
  }

  /**
   * Send a set-point; nobody waits for the answer, the next one follows soon.
   * @param {string} target
   * @param {string} action
   * @param {object} params
   */
  command(target, action, params) {
    if (this.state === "open") this.#send({ type: "command", target, action, params });
  }

  /**
   * Send one reading of a stick; nobody answers. While the one before has not left yet it is left
   * out: the next one is newer.
   * @param {string} target
   * @param {Record<string, number>} values by field
   */
  stream(target, values) {
    if (this.state !== "open" || (this.#socket?.bufferedAmount ?? 0) > STREAM_BYTES) return;
    this.#send({ type: "input", target, values, time_ms: Math.round(performance.now()) });
  }

  /**
   * Bring a release to the robot.
   * @param {File} file
   * @param {(sent: number) => void} onProgress
   * @returns {{answer: Promise<import("./types.js").Release>, cancel: () => void}}
   */
  upload(file, onProgress) {
    const request = new XMLHttpRequest(); // fetch does not tell how much was sent
    const answer = new Promise((done, fail) => {
      const broken = () =>
        fail(
          new ApiError({
            code: "no_connection",
            message: "The connection ended before the robot had answered.",
          }),
        );
      request.upload.onprogress = (event) => onProgress(event.loaded);
      request.onload = () => {
        const reply = parsed(request.responseText);
        if (request.status === 200 && reply) done(reply);
        else if (reply?.message) fail(new ApiError(reply));
        else broken();
      };
      request.onerror = broken;
      request.onabort = () =>
        fail(new ApiError({ code: "stopped", message: "The upload was stopped." }));
      request.open("POST", "/api/firmware");
      request.setRequestHeader("Content-Type", "application/octet-stream");
      request.send(file);
    });
    return { answer, cancel: () => request.abort() };
  }

  #connect() {
    this.#drop();
    this.#openedAt = performance.now();
    this.#heardAt = this.#openedAt;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = new WebSocket(`${scheme}://${location.host}/api/ws`);
    this.#socket = socket;
    socket.onopen = () => this.#enter().catch(() => {});
    socket.onmessage = (event) => socket === this.#socket && this.#take(event.data);
    socket.onclose = () => socket === this.#socket && this.#lost();
  }

  /** The browser's cookie came with the handshake; nobody is signed in where it is refused. */
  async #enter() {
    try {
      this.session = await this.#ask({ type: "auth", client_id: this.#clientId });
    } catch (err) {
      if (err instanceof ApiError && err.code === "unauthorized") {
        this.#drop();
        this.#tell("locked");
      }
      throw err;
    }
    this.#pause = FIRST_PAUSE_MS;
    this.#tell("open");
    this.#subscribe(Object.entries(this.topics));
  }

  /** @param {[string, number][]} wanted */
  #subscribe(wanted) {
    const rates = new Map();
    for (const [topic, rate] of wanted) rates.set(rate, [...(rates.get(rate) ?? []), topic]);
    for (const [rate_hz, topics] of rates) this.#send({ type: "subscribe", topics, rate_hz });
  }

  /** @param {string} text */
  #take(text) {
    this.#heardAt = performance.now();
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
   * @returns {Promise<T>} what the robot promises to answer; it checks what it sends
   */
  #ask(message) {
    const id = String(++this.#count);
    return new Promise((done, fail) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        fail(new ApiError({ code: "no_answer", message: "The robot did not answer in time." }));
      }, REPLY_LIMIT_MS);
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

  /** A connection that is dead without saying so. */
  #watch() {
    const now = performance.now();
    if (this.state === "open" && now - this.#heardAt > SILENCE_MS) this.#lost();
    const isStuck = this.#socket?.readyState === WebSocket.CONNECTING;
    if (isStuck && now - this.#openedAt > CONNECT_LIMIT_MS) this.#lost();
    if (this.state === "lost") this.listener.onLink();
  }

  #lost() {
    this.#drop();
    this.#failAll();
    const pause = this.#pause * (0.8 + 0.4 * Math.random());
    this.#pause = Math.min(LONGEST_PAUSE_MS, this.#pause * 2);
    this.retryAt = performance.now() + pause;
    clearTimeout(this.#retryTimer);
    this.#retryTimer = setTimeout(() => this.#connect(), pause);
    this.#tell("lost");
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
  #tell(state) {
    this.state = state;
    this.listener.onLink();
  }
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
