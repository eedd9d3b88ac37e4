"""Outgoing frames of one client. States are written when the client is due one and reads fast
enough; otherwise only the fact that there is a newer one is held, so a slow client costs no memory
and never gets an outdated state. Replies wait in a bounded queue. Not here: the frames' content
(topics/hub.py).
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from typing import Protocol

HIGH_BYTES = 64 * 1024  # above this the client counts as slow
MOST_REPLIES = 64
MOST_REPLY_BYTES = 1 << 20  # waiting; a single larger one may pass
STALLED_S = 10.0  # a client that is slow for so long without a break is disconnected
MOST_PER_TURN = 1  # clients that get states before the next command is read
RETRY_S = 0.02  # transports notify only their own protocol when they have room, so we poll


class Pipe(Protocol):
    """The connection that the bytes are written to."""

    def write(self, data: bytes) -> None: ...

    def unsent_bytes(self) -> int: ...


class Turns:
    """Shares the event loop among clients. In one turn a client gets one write. States for many
    clients at once are written to one of them, then sockets are read, then to the next: a command
    waits for one write, not for all.
    """

    def __init__(self) -> None:
        self._served: set[Outbox] = set()
        self._waiting: dict[Outbox, None] = {}
        self._written: dict[Outbox, None] = {}
        self._is_planned = False

    def is_free(self, outbox: "Outbox") -> bool:
        """Return whether this client gets states in this turn; otherwise a later turn calls it."""
        if outbox in self._served:
            return True
        self._plan()
        if len(self._served) < MOST_PER_TURN:
            self._served.add(outbox)
            return True
        self._waiting[outbox] = None
        return False

    def wrote(self, outbox: "Outbox") -> None:
        """Flush the outbox at the end of this turn."""
        self._written[outbox] = None
        self._plan()

    def forget(self, outbox: "Outbox") -> None:
        """Drop an outbox whose client has disconnected."""
        self._waiting.pop(outbox, None)
        self._written.pop(outbox, None)

    def _plan(self) -> None:
        if not self._is_planned:
            self._is_planned = True
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        self._is_planned = False
        self._served.clear()
        self._flush()
        for outbox in list(self._waiting)[:MOST_PER_TURN]:
            del self._waiting[outbox]
            outbox.catch_up()
        self._flush()
        if self._waiting:
            self._plan()

    def _flush(self) -> None:
        while self._written:
            self._written.popitem()[0].flush()


class Outbox:
    """The outgoing frames of one WebSocket."""

    def __init__(
        self,
        wire: Pipe,
        frame: Callable[[str], bytes | None],
        counters: Counter[str],
        overflow: Callable[[], None],
        turns: Turns,
    ) -> None:
        self._wire = wire
        self._frame = frame
        self._counters = counters
        self._overflow = overflow
        self._turns = turns
        self._loop = asyncio.get_running_loop()
        self._periods_s: dict[str, float] = {}  # of what the client subscribed
        self._pending: dict[str, None] = {}  # topics that have something newer for it
        self._replies: deque[bytes] = deque()
        self._reply_bytes = 0
        self._frames: list[bytes] = []  # of this turn
        self._frame_bytes = 0
        self._slow_since_s: float | None = None
        self._retry: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def topics(self) -> list[str]:
        """Topics that the client has subscribed."""
        return list(self._periods_s)

    def period_s(self, topic: str) -> float | None:
        """Return the shortest time between two states; None when the topic is not subscribed."""
        return self._periods_s.get(topic)

    def subscribe(self, topic: str, rate_hz: float) -> None:
        """Send at most so many states per second; 0: every one."""
        self._periods_s[topic] = 1.0 / rate_hz if rate_hz else 0.0

    def unsubscribe(self, topic: str) -> None:
        """Send no more states of a topic."""
        self._periods_s.pop(topic, None)
        self._pending.pop(topic, None)

    def close(self) -> None:
        """Stop writing."""
        self._is_closed = True
        self._periods_s.clear()
        self._pending.clear()
        if self._retry:
            self._retry.cancel()
        self._replies.clear()
        self._frames.clear()
        self._turns.forget(self)

    def flush(self) -> None:
        """Write the frames of this turn."""
        if self._frames:
            self._wire.write(b"".join(self._frames))
            self._frames.clear()
            self._frame_bytes = 0

    def reply(self, frame: bytes) -> None:
        """Send a reply: it is never dropped, but a client that reads none is disconnected."""
        if self._is_closed:
            return
        if not self._replies and not self._is_slow():
            self._write(frame)
            return
        if len(self._replies) >= MOST_REPLIES or self._reply_bytes > MOST_REPLY_BYTES:
            self._disconnect()
            return
        self._replies.append(frame)
        self._reply_bytes += len(frame)
        self._schedule_retry()

    def _disconnect(self) -> None:
        self._counters["clients_too_slow"] += 1
        self.close()
        self._overflow()

    def offer(self, topic: str) -> None:
        """Send the newest state of a topic, at once or when the client reads fast enough."""
        if self._is_closed:
            return
        if topic in self._pending:
            self._counters["states_replaced"] += 1
        elif self._replies or self._is_slow():
            self._pending[topic] = None
            self._schedule_retry()
        elif self._turns.is_free(self):
            self._put(topic)
        else:
            self._pending[topic] = None

    def _put(self, topic: str) -> None:
        frame = self._frame(topic)
        if frame is not None:
            self._write(frame)
            self._counters["states_sent"] += 1

    def _is_slow(self) -> bool:
        return self._wire.unsent_bytes() + self._frame_bytes > HIGH_BYTES

    def _write(self, frame: bytes) -> None:
        self._frames.append(frame)
        self._frame_bytes += len(frame)
        self._turns.wrote(self)

    def _schedule_retry(self) -> None:
        if self._retry is None and not self._is_closed:
            self._retry = self._loop.call_later(RETRY_S, self._retried)

    def _retried(self) -> None:
        self._retry = None
        if not self._is_slow():
            self._slow_since_s = None
            self.catch_up()
            return
        now_s = self._loop.time()
        if self._slow_since_s is None:
            self._slow_since_s = now_s
        if now_s - self._slow_since_s > STALLED_S:
            self._disconnect()
        else:
            self._schedule_retry()

    def catch_up(self) -> None:
        """Write what waits, as far as the client reads it."""
        while self._replies and not self._is_slow():
            reply = self._replies.popleft()
            self._reply_bytes -= len(reply)
            self._write(reply)
        if self._replies:
            self._schedule_retry()
            return
        while self._pending:
            if self._is_slow():
                self._schedule_retry()
                return
            if not self._turns.is_free(self):
                return  # a later turn calls it
            topic = next(iter(self._pending))
            del self._pending[topic]
            self._put(topic)
