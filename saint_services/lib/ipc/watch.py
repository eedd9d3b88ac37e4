"""Watches a daemon's state instead of requesting it again and again: a row whose reply comes at
once, with every change, and after a hold time in any case, so that silence means a daemon that is
dead or stands still. Both halves: `updates` serves such a row, `Watch` is its client.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Generic, TypeVar

from pydantic import BaseModel

from ..api.endpoint import Endpoint, WatchRequest
from ..clock import monotonic_s
from ..errors import Code, SaintError
from .client import Client

W = TypeVar("W", bound=WatchRequest)
R = TypeVar("R", bound=BaseModel)

LEAST_S = 0.1  # between two replies: a flood of changes becomes one every 100 ms
_LATE_S = 1.0  # after one and a half hold times; then the daemon counts as silent
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 2.0  # before the next connection


class ChangeSignal:
    """Wakes every waiting task once per change."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def notify(self) -> None:
        """Wake the tasks that wait now."""
        waiting, self._waiting = self._waiting, set()
        for each in waiting:
            if not each.done():
                each.set_result(None)

    def next_change(self) -> asyncio.Future[None]:
        """Return a future that is done at the next change; cancel it when it is not awaited."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future


async def updates(
    read: Callable[[], R], changed: ChangeSignal, request: WatchRequest
) -> AsyncIterator[R]:
    """Yield what `read` returns now, after every change, and after the hold time."""
    while True:
        change = changed.next_change()  # before the state is read, so that none is missed
        try:
            yield read()
            sent_s = monotonic_s()
            await asyncio.wait({change}, timeout=request.hold_s)
        finally:
            change.cancel()
        await asyncio.sleep(max(0.0, sent_s + LEAST_S - monotonic_s()))


class Watch(Generic[W, R]):
    """Calls `received` with each reply and `lost` with each failure; connects again by itself."""

    def __init__(
        self,
        client: Client,
        row: Endpoint[W, R],
        received: Callable[[R], None],
        lost: Callable[[SaintError], None],
    ) -> None:
        self._client = client
        self._row = row
        self._received = received
        self._lost = lost
        self._request: W | None = None
        self._is_wanted = asyncio.Event()
        self._scope: asyncio.Timeout | None = None  # of the present request

    def begin(self, request: W) -> None:
        """Watch with this request, instead of any earlier one."""
        self._request = request
        self._is_wanted.set()
        self._interrupt()

    def end(self) -> None:
        """Stop watching until the next `begin`."""
        self._request = None
        self._is_wanted.clear()
        self._interrupt()

    async def run(self) -> None:
        """Watch whenever it is wanted, until cancelled."""
        while True:
            await self._is_wanted.wait()
            if (request := self._request) is None:
                continue  # it has ended before it began
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None) as self._scope:
                    await self._keep(request)
            self._scope = None

    def _interrupt(self) -> None:
        if self._scope is not None and not self._scope.expired():  # once is enough
            self._scope.reschedule(asyncio.get_running_loop().time())

    async def _keep(self, request: W) -> None:
        """Watch until cancelled, with a growing pause between connections that fail."""
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                async for reply in self._replies(request):
                    pause_s = _FIRST_PAUSE_S
                    self._received(reply)
            except SaintError as err:
                self._lost(err)
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _replies(self, request: W) -> AsyncIterator[R]:
        silence_s = 1.5 * request.hold_s + _LATE_S
        replies = self._client.follow(self._row, request, silence_s=silence_s)
        async with contextlib.aclosing(replies):
            async for reply in replies:
                yield reply
        raise SaintError(Code.DAEMON_UNREACHABLE, f"{self._client.name} has ended its reports")
