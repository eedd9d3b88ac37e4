"""Wakes the loop when samples arrive: one thread, blocked in the library.

The thread passes on what was triggered and sleeps until the loop has handled it, so a flood is
handled in batches. At the end it also frees the entities, which may take a moment. Not here: what
is read."""

import asyncio
import ctypes
import threading
import time
from collections import deque
from collections.abc import Callable
from typing import Protocol

from .library import FOREVER_NS, Library

_TRIGGERED = 256  # the rest is handled in the next round
_CLOSE_S = 5.0
_AT_ONCE_S = 0.001  # what is found so soon after the thread went on was there before
_CLOSING = 0  # token of the guard condition


class WaitSource(Protocol):
    """Something that can be waited for."""

    def drain(self, woke_s: float) -> bool:
        """Handle one batch; True if there may be more."""
        ...


class Waiter:
    """The waiting thread of one bus."""

    def __init__(self, library: Library, participant: int, free: Callable[[], None]) -> None:
        self._library = library
        self._free = free
        self._loop = asyncio.get_running_loop()
        self._ended = self._loop.create_future()
        self._sources: dict[int, WaitSource] = {}
        self._pending: deque[WaitSource] = deque()
        self._next_token = _CLOSING + 1
        self._woke_s = 0.0
        self._drained_s = time.monotonic()
        self._gate = threading.Lock()
        self._gate.acquire()
        self._is_closing = False
        check = library.check
        self._waitset = check(library.dds_create_waitset(participant), "waitset")
        self._guard = check(library.dds_create_guardcondition(participant), "guard condition")
        check(library.dds_waitset_attach(self._waitset, self._guard, _CLOSING), "guard condition")
        self._thread = threading.Thread(target=self._run, name="bus-waiter", daemon=True)
        self._thread.start()

    def attach(self, condition: int, source: WaitSource) -> None:
        """Drain `source` whenever `condition` is triggered, until the condition is deleted."""
        token = self._next_token
        self._next_token += 1
        self._sources[token] = source
        code = self._library.dds_waitset_attach(self._waitset, condition, token)
        self._library.check(code, "waitset")

    def detach(self, source: WaitSource) -> None:
        for token in [token for token, held in self._sources.items() if held is source]:
            del self._sources[token]

    async def close(self) -> None:
        """Free everything and end the thread."""
        self._is_closing = True
        self._library.dds_set_guardcondition(self._guard, True)
        if self._gate.locked():
            self._gate.release()
        async with asyncio.timeout(_CLOSE_S):
            await self._ended
        self._sources.clear()
        self._pending.clear()

    def _run(self) -> None:
        tokens = (ctypes.c_ssize_t * _TRIGGERED)()
        wait = self._library.dds_waitset_wait
        while not self._is_closing:
            waits_s = time.monotonic()
            count = wait(self._waitset, tokens, _TRIGGERED, FOREVER_NS)
            if self._is_closing or count < 0:
                break
            woke_s = time.monotonic()
            if woke_s - waits_s < _AT_ONCE_S:
                woke_s = self._drained_s  # it may have arrived as early
            if not self._call_loop(self._wake, woke_s, tokens[: min(count, _TRIGGERED)]):
                break
            self._gate.acquire()
        self._free()
        self._call_loop(self._end)

    def _call_loop(self, callback: Callable[..., None], *arguments: object) -> bool:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop was closed without closing the bus
            return False
        return True

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def _wake(self, woke_s: float, tokens: list[int]) -> None:
        self._woke_s = woke_s
        for token in tokens:
            if source := self._sources.get(token):
                self._pending.append(source)
        self._drain()

    def _drain(self) -> None:
        """Handle one batch of each pending source. A callback's exception goes to the loop's
        handler; the rest is handled in the next round.
        """
        pending = self._pending
        try:
            for _ in range(len(pending)):
                source = pending[0]
                pending.rotate(-1)
                if not source.drain(self._woke_s):
                    pending.pop()
        finally:
            if pending and not self._is_closing:
                self._woke_s = time.monotonic()
                self._loop.call_soon(self._drain)
            else:
                # The thread goes on after what the callbacks have scheduled: what arrives until
                # then becomes one batch, and the thread does not compete for the interpreter.
                self._drained_s = time.monotonic()
                self._loop.call_soon(self._open_gate)

    def _open_gate(self) -> None:
        if self._gate.locked():
            self._gate.release()
