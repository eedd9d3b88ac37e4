"""What goes to one client. States are written at once when the client may have one and reads fast
enough; otherwise only the fact that there is a newer one is kept, so a slow client costs no memory
and never gets old news. Replies wait in a bounded queue. Not here: what is in a frame (hub.py).
"""

import asyncio
import math
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass

HIGH_BYTES = 64 * 1024  # above this the client counts as slow
MOST_REPLIES = 64
RETRY_S = 0.02  # transports tell only their own protocol when they have room, so we look again


@dataclass(slots=True)
class _Wanted:
    period_s: float
    due_s: float = 0.0
    is_waiting: bool = False
    timer: asyncio.TimerHandle | None = None


class Outbox:
    """Frames for one WebSocket, written straight to its transport (whole frames, so they never
    mix with those that aiohttp writes).
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        frame: Callable[[str], bytes | None],
        counters: Counter[str],
        overflow: Callable[[], None],
    ) -> None:
        self._transport = transport
        self._frame = frame
        self._counters = counters
        self._overflow = overflow
        self._loop = asyncio.get_running_loop()
        self._wanted: dict[str, _Wanted] = {}
        self._replies: deque[bytes] = deque()
        self._retry: asyncio.TimerHandle | None = None
        self._is_closed = False

    @property
    def topics(self) -> list[str]:
        """What the client subscribed."""
        return list(self._wanted)

    def want(self, topic: str, rate_hz: float) -> None:
        """At most so many states per second; 0: every one."""
        self.unwant(topic)
        self._wanted[topic] = _Wanted(1.0 / rate_hz if rate_hz else 0.0)

    def unwant(self, topic: str) -> None:
        """No more of it."""
        known = self._wanted.pop(topic, None)
        if known and known.timer:
            known.timer.cancel()

    def close(self) -> None:
        """Nothing is written any more."""
        self._is_closed = True
        for topic in self.topics:
            self.unwant(topic)
        if self._retry:
            self._retry.cancel()
        self._replies.clear()

    def reply(self, frame: bytes) -> None:
        """An answer: never dropped, but a client that takes none of them is cut off."""
        if self._is_closed:
            return
        if not self._replies and not self._is_slow():
            self._write(frame)
            return
        if len(self._replies) >= MOST_REPLIES:
            self._counters["clients_too_slow"] += 1
            self.close()
            self._overflow()
            return
        self._replies.append(frame)
        self._look_again()

    def changed(self, topic: str) -> None:
        """The hub has something newer."""
        wanted = self._wanted.get(topic)
        if wanted is None:
            return
        if wanted.is_waiting:
            self._counters["states_replaced"] += 1
            return
        now_s = self._loop.time()
        if now_s < wanted.due_s:
            wanted.is_waiting = True
            wanted.timer = self._loop.call_at(wanted.due_s, self._due, topic, wanted)
        else:
            self._send(topic, wanted, now_s)

    def _due(self, topic: str, wanted: _Wanted) -> None:
        wanted.timer = None
        wanted.is_waiting = False
        self._send(topic, wanted, self._loop.time())

    def _send(self, topic: str, wanted: _Wanted, now_s: float) -> None:
        if self._replies or self._is_slow():
            wanted.is_waiting = True
            self._look_again()
            return
        if wanted.period_s:
            # On a grid that all clients share: they become due together and share one frame.
            wanted.due_s = (math.floor(now_s / wanted.period_s) + 1) * wanted.period_s
        frame = self._frame(topic)
        if frame is not None:
            self._write(frame)
            self._counters["states_sent"] += 1

    def _is_slow(self) -> bool:
        return self._transport.get_write_buffer_size() > HIGH_BYTES

    def _write(self, frame: bytes) -> None:
        if not self._transport.is_closing():
            self._transport.write(frame)

    def _look_again(self) -> None:
        if self._retry is None and not self._is_closed:
            self._retry = self._loop.call_later(RETRY_S, self._catch_up)

    def _catch_up(self) -> None:
        self._retry = None
        while self._replies and not self._is_slow():
            self._write(self._replies.popleft())
        now_s = self._loop.time()
        for topic, wanted in list(self._wanted.items()):
            if wanted.is_waiting and wanted.timer is None:
                if self._replies or self._is_slow():
                    self._look_again()
                    return
                wanted.is_waiting = False
                self._send(topic, wanted, now_s)
        if self._replies:
            self._look_again()
