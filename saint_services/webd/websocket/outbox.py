"""What goes to one client. States are written when the client may have one and reads fast enough;
otherwise only the fact that there is a newer one is kept, so a slow client costs no memory and
never gets old news. Replies wait in a bounded queue. Not here: what is in a frame (hub.py).
"""

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from typing import Protocol

HIGH_BYTES = 64 * 1024  # above this the client counts as slow
MOST_REPLIES = 64
MOST_REPLY_BYTES = 1 << 20  # waiting; a single larger one may pass
STALLED_S = 10.0  # a client that was slow for so long without a break is cut off
MOST_PER_TURN = 1  # clients that get states before the next command is read
RETRY_S = 0.02  # transports tell only their own protocol when they have room, so we look again


class Pipe(Protocol):
    """Where the bytes go."""

    def write(self, data: bytes) -> None: ...

    def unsent_bytes(self) -> int: ...


class Turns:
    """Shares out the loop. What one client gets in one turn is one write. States for many clients
    at once are written to one of them, then sockets are read, then to the next: a command waits
    for one write, not for all.
    """

    def __init__(self) -> None:
        self._served: set[Outbox] = set()
        self._waiting: dict[Outbox, None] = {}
        self._written: dict[Outbox, None] = {}
        self._is_planned = False

    def is_free(self, outbox: "Outbox") -> bool:
        """May this client get states in this turn? If not it is called in one of the next."""
        if outbox in self._served:
            return True
        self._plan()
        if len(self._served) < MOST_PER_TURN:
            self._served.add(outbox)
            return True
        self._waiting[outbox] = None
        return False

    def wrote(self, outbox: "Outbox") -> None:
        """It has something to flush at the end of this turn."""
        self._written[outbox] = None
        self._plan()

    def forget(self, outbox: "Outbox") -> None:
        """It has gone."""
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
    """Frames for one WebSocket."""

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
        """What the client subscribed."""
        return list(self._periods_s)

    def period_s(self, topic: str) -> float | None:
        """Shortest time between two of its states, None when the client does not want it."""
        return self._periods_s.get(topic)

    def want(self, topic: str, rate_hz: float) -> None:
        """At most so many states per second; 0: every one."""
        self._periods_s[topic] = 1.0 / rate_hz if rate_hz else 0.0

    def unwant(self, topic: str) -> None:
        """No more of it."""
        self._periods_s.pop(topic, None)
        self._pending.pop(topic, None)

    def close(self) -> None:
        """Nothing is written any more."""
        self._is_closed = True
        self._periods_s.clear()
        self._pending.clear()
        if self._retry:
            self._retry.cancel()
        self._replies.clear()
        self._frames.clear()
        self._turns.forget(self)

    def flush(self) -> None:
        """Write what this turn brought."""
        if self._frames:
            self._wire.write(b"".join(self._frames))
            self._frames.clear()
            self._frame_bytes = 0

    def reply(self, frame: bytes) -> None:
        """An answer: never dropped, but a client that takes none of them is cut off."""
        if self._is_closed:
            return
        if not self._replies and not self._is_slow():
            self._write(frame)
            return
        if len(self._replies) >= MOST_REPLIES or self._reply_bytes > MOST_REPLY_BYTES:
            self._cut_off()
            return
        self._replies.append(frame)
        self._reply_bytes += len(frame)
        self._look_again()

    def _cut_off(self) -> None:
        self._counters["clients_too_slow"] += 1
        self.close()
        self._overflow()

    def offer(self, topic: str) -> None:
        """The hub has something newer that the client may have now."""
        if self._is_closed:
            return
        if topic in self._pending:
            self._counters["states_replaced"] += 1
        elif self._replies or self._is_slow():
            self._pending[topic] = None
            self._look_again()
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

    def _look_again(self) -> None:
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
            self._cut_off()
        else:
            self._look_again()

    def catch_up(self) -> None:
        """Write what waits, as far as the client takes it."""
        while self._replies and not self._is_slow():
            reply = self._replies.popleft()
            self._reply_bytes -= len(reply)
            self._write(reply)
        if self._replies:
            self._look_again()
            return
        while self._pending:
            if self._is_slow():
                self._look_again()
                return
            if not self._turns.is_free(self):
                return  # it is called again
            topic = next(iter(self._pending))
            del self._pending[topic]
            self._put(topic)
