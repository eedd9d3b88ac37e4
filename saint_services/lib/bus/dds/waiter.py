"""Wakes the loop when samples arrive: one thread, blocked in the library.

The thread passes on what was triggered and waits for what comes next. It sleeps until the loop has
handled a batch when the loop has not begun with it by the next, so a flood is handled in batches;
and always for a condition, which stays triggered until then. At the end it also frees the entities,
which may take a moment. Not here: what is read."""

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
_DATA_AVAILABLE = 1 << 8  # DDS_DATA_AVAILABLE_STATUS of Cyclone DDS


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
        self._readers: dict[int, int] = {}  # by token
        # Between the thread and the loop: what was triggered, and whether the loop will take it.
        self._triggered: deque[int] = deque()
        self._is_called = False
        self._next_token = _CLOSING + 1
        self._woke_s = 0.0
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
        self._attach(self._token(source), condition)

    def attach_reader(self, reader: int, source: WaitSource) -> None:
        """Drain `source` whenever samples have arrived, until the reader is deleted. The thread
        resets the reader's status itself, so it need not sleep until the samples are taken.
        """
        code = self._library.dds_set_status_mask(reader, _DATA_AVAILABLE)
        self._library.check(code, "status")
        token = self._token(source)
        self._readers[token] = reader
        self._attach(token, reader)

    def _token(self, source: WaitSource) -> int:
        token = self._next_token
        self._next_token += 1
        self._sources[token] = source
        return token

    def _attach(self, token: int, entity: int) -> None:
        self._library.check(
            self._library.dds_waitset_attach(self._waitset, entity, token), "waitset"
        )

    def detach(self, source: WaitSource) -> None:
        for token in [token for token, held in self._sources.items() if held is source]:
            del self._sources[token]
            self._readers.pop(token, None)

    async def close(self) -> None:
        """Free everything and end the thread."""
        self._is_closing = True
        self._library.dds_set_guardcondition(self._guard, True)
        if self._gate.locked():
            self._gate.release()
        async with asyncio.timeout(_CLOSE_S):
            await self._ended
        self._sources.clear()
        self._readers.clear()
        self._pending.clear()

    def _run(self) -> None:
        tokens = (ctypes.c_ssize_t * _TRIGGERED)()
        wait = self._library.dds_waitset_wait
        earliest_s = time.monotonic()  # what is found at once may have arrived as early
        while not self._is_closing:
            waits_s = time.monotonic()
            count = wait(self._waitset, tokens, _TRIGGERED, FOREVER_NS)
            if self._is_closing or count < 0:
                break
            now_s = time.monotonic()
            woke_s = earliest_s if now_s - waits_s < _AT_ONCE_S else now_s
            triggered = tokens[: min(count, _TRIGGERED)]
            earliest_s = now_s
            must_sleep = not self._reset(triggered) or self._is_called
            self._triggered += triggered
            if not self._is_called:
                self._is_called = True
                if not self._call_loop(self._wake, woke_s):
                    break
            if must_sleep:
                self._gate.acquire()
        self._free()
        self._call_loop(self._end)

    def _reset(self, tokens: list[int]) -> bool:
        """Reset the status of readers; False if something else was triggered, which stays so."""
        status, are_readers = ctypes.c_uint32(), True
        for token in tokens:
            if reader := self._readers.get(token):
                self._library.dds_take_status(reader, ctypes.byref(status), _DATA_AVAILABLE)
            elif token in self._sources:
                are_readers = False
        return are_readers

    def _call_loop(self, callback: Callable[..., None], *arguments: object) -> bool:
        try:
            self._loop.call_soon_threadsafe(callback, *arguments)
        except RuntimeError:  # the loop was closed without closing the bus
            return False
        return True

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def _wake(self, woke_s: float) -> None:
        self._is_called = False  # first: what comes after that calls again
        self._woke_s = woke_s
        while self._triggered:
            source = self._sources.get(self._triggered.popleft())
            if source and source not in self._pending:
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
                # A thread that sleeps goes on after what the callbacks have scheduled: what arrives
                # until then becomes one batch, and it does not compete for the interpreter.
                self._loop.call_soon(self._open_gate)

    def _open_gate(self) -> None:
        if self._gate.locked():
            self._gate.release()
