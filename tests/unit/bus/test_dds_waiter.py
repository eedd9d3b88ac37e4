"""The thread that waits for samples: when the loop is woken, and which time a sample gets. On a
library made by hand and an invented clock.
"""

import asyncio
import queue
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from saint_services.lib.bus.dds import waiter
from saint_services.lib.bus.dds.waiter import Waiter
from tests.waiting import until


class Library:
    """Wakes the thread for each token that is put, after `before_s` on the clock."""

    def __init__(self, clock: "Clock") -> None:
        self.ready: queue.Queue[tuple[int, float]] = queue.Queue()
        self.reset: list[int] = []  # readers whose status was reset
        self.waits = threading.Semaphore(0)  # how often the thread has begun to wait
        self._clock = clock

    def check(self, code: int, _what: str) -> int:
        return code

    def dds_create_waitset(self, _participant: int) -> int:
        return 1

    dds_create_guardcondition = dds_create_waitset

    def dds_waitset_attach(self, _waitset: int, _condition: int, _token: int) -> int:
        return 0

    def dds_set_status_mask(self, _reader: int, _mask: int) -> int:
        return 0

    def dds_take_status(self, reader: int, _status: Any, _mask: int) -> int:
        self.reset.append(reader)
        return 0

    def dds_set_guardcondition(self, _guard: int, _value: bool) -> int:
        self.ready.put((0, 0.0))
        return 0

    def dds_waitset_wait(self, _waitset: int, tokens: Any, _most: int, _limit_ns: int) -> int:
        self.waits.release()
        tokens[0], before_s = self.ready.get(timeout=5.0)
        self._clock.now_s += before_s
        return 1


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0


class Source:
    """Notes the time that each wake-up names; `then` runs in the loop's turn after the first."""

    def __init__(self, then: Any) -> None:
        self.woke_s: list[float] = []
        self.changed = asyncio.Event()
        self._then = then

    def drain(self, woke_s: float) -> bool:
        self.woke_s.append(woke_s)
        if len(self.woke_s) == 1:
            asyncio.get_running_loop().call_soon(self._then)
        else:
            self.changed.set()
        return False


@pytest.fixture
async def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(waiter, "time", SimpleNamespace(monotonic=lambda: made.now_s))
    return made


@pytest.fixture
async def library(clock: Clock) -> AsyncIterator[Library]:
    made = Library(clock)
    yield made
    made.ready.put((0, 0.0))


async def woken(clock: Clock, library: Library, stall_s: float, before_s: float) -> list[float]:
    """Wake once, stall behind the callbacks, wake again `before_s` after the thread went on."""

    def stall() -> None:
        clock.now_s += stall_s
        library.ready.put((1, before_s))

    made = Waiter(library, 1, lambda: None)  # type: ignore[arg-type]
    source = Source(stall)
    made.attach(1, source)
    library.ready.put((1, 1.0))
    async with asyncio.timeout(5.0):
        await source.changed.wait()
    await made.close()
    return source.woke_s


async def test_sample_of_a_stall_is_as_old_as_the_last_batch(
    clock: Clock, library: Library
) -> None:
    assert await woken(clock, library, stall_s=0.09, before_s=0.0) == [101.0, 101.0]


async def test_sample_that_the_thread_has_waited_for_is_new(clock: Clock, library: Library) -> None:
    assert await woken(clock, library, stall_s=0.09, before_s=0.5) == [101.0, 101.59]


class Batches:
    """Counts the wake-ups of the loop."""

    def __init__(self) -> None:
        self.woke_s: list[float] = []

    def drain(self, woke_s: float) -> bool:
        self.woke_s.append(woke_s)
        return False


async def test_reader_wakes_the_loop_while_the_thread_waits_on(
    clock: Clock, library: Library
) -> None:
    made, source = Waiter(library, 1, lambda: None), Batches()  # type: ignore[arg-type]
    made.attach_reader(77, source)
    await asyncio.to_thread(library.waits.acquire, timeout=5.0)
    library.ready.put((1, 1.0))
    assert await asyncio.to_thread(library.waits.acquire, timeout=5.0)  # it does not sleep
    await until(lambda: source.woke_s == [101.0])
    assert library.reset == [77]
    library.ready.put((1, 0.5))
    await until(lambda: source.woke_s == [101.0, 101.5])
    await made.close()


async def test_flood_is_one_batch_while_the_loop_is_busy(clock: Clock, library: Library) -> None:
    made, source = Waiter(library, 1, lambda: None), Batches()  # type: ignore[arg-type]
    made.attach_reader(77, source)
    for _ in range(100):
        library.ready.put((1, 0.01))
    while library.waits.acquire(timeout=0.2):  # the loop does not run: the thread goes to sleep
        pass
    assert library.ready.qsize() >= 97
    await until(library.ready.empty)
    await until(lambda: len(library.reset) == 100)
    await made.close()
    assert source.woke_s == sorted(source.woke_s)
    assert source.woke_s[0] == pytest.approx(100.01)  # as old as the first of them
