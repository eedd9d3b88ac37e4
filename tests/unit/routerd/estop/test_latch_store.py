"""The latch on its way to the disk: what is stored when, what a reply says meanwhile, how a
clear goes on. On a file made by hand; numbers are typed by hand.
"""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.health import Health
from saint_services.lib.stall import StallWatch
from saint_services.routerd.estop import latch_store
from saint_services.routerd.estop.latch import Latch, raised
from saint_services.routerd.estop.latch_file import LatchContent
from saint_services.routerd.estop.latch_store import LatchClearing, LatchStore
from saint_services.routerd.logic import Router
from saint_services.routerd.state import decode_latch, encode_latch
from tests.unit.routerd.rig import robot
from tests.waiting import turns, until

ROBOT = robot()
FREE = Latch(generation=7)
STOPPED = raised(FREE, "A", "first")


class Disk:
    """Stands for the file. `fault` fails writes; `may_write` delays them."""

    def __init__(self, stored: bytes | None = None) -> None:
        self.written: list[Latch] = []
        self.stored = stored
        self.problem = ""
        self.is_missing = False
        self.is_spoiled = False
        self.fault = ""
        self.tries = 0
        self.may_write = threading.Event()
        self.may_write.set()

    def write(self, payload: bytes) -> None:
        self.may_write.wait(5.0)
        self.tries += 1
        if self.fault == "bug":
            raise ZeroDivisionError
        if self.fault:
            raise SaintError(Code.STATE_DAMAGED, self.fault)
        self.stored = payload
        self.written.append(decode_latch(payload))

    def read(self) -> LatchContent:
        if self.is_missing:
            raise FileNotFoundError
        return LatchContent(self.stored, self.problem)

    def spoil(self) -> None:
        self.is_spoiled = True


class Bench:
    """A store that writes to such a disk."""

    def __init__(self, latch: Latch = FREE, stored: bytes | None = None) -> None:
        self.disk = Disk(stored)
        self.health = Health("routerd")
        self.store = LatchStore(self.health, self.disk, latch)  # type: ignore[arg-type]

    @property
    def issues(self) -> list[str]:
        return [each.text for each in self.health.report().issues]

    @contextlib.asynccontextmanager
    async def working(self) -> AsyncIterator[None]:
        work = asyncio.create_task(self.store.work())
        try:
            yield
        finally:
            self.disk.may_write.set()
            work.cancel()

    async def until_written(self, count: int) -> None:
        await until(lambda: len(self.disk.written) >= count and not self.store.problem)


async def test_every_start_stores_the_latch() -> None:
    bench = Bench()
    assert bench.store.problem == "storing it takes longer than 0.8 s"
    async with bench.working():
        await bench.until_written(1)
    assert bench.disk.written == [FREE]


async def test_each_change_is_stored_once() -> None:
    bench = Bench()
    async with bench.working():
        await bench.until_written(1)
        bench.store.put(STOPPED)
        assert bench.store.problem
        await bench.until_written(2)
    assert await bench.store.save()
    assert bench.disk.written == [FREE, STOPPED]


async def test_work_waits_while_there_is_nothing_to_store(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Bench()
    saves = 0
    save = bench.store.save

    async def counted() -> bool:
        nonlocal saves
        saves += 1
        return await save()

    monkeypatch.setattr(bench.store, "save", counted)
    async with bench.working():
        await bench.until_written(1)
        await turns(50)
    assert saves == 1


async def test_change_during_a_save_is_stored_by_the_next() -> None:
    bench = Bench()
    bench.disk.may_write.clear()
    async with bench.working():
        await turns()
        bench.store.put(STOPPED)
        bench.disk.may_write.set()
        await bench.until_written(2)
    assert bench.disk.written == [FREE, STOPPED]


async def test_disk_that_refuses_is_an_issue_until_it_takes_the_latch() -> None:
    bench = Bench()
    bench.disk.fault = "the disk is full"
    assert not await bench.store.save()
    assert (bench.store.problem, bench.issues) == ("the disk is full", ["the disk is full"])
    assert await bench.store.settled() == "the disk is full"
    bench.disk.fault = ""
    assert await bench.store.save()
    assert (bench.store.problem, bench.issues) == ("", [])
    bench.store.put(STOPPED)
    assert bench.store.problem == "storing it takes longer than 0.8 s"  # the old fault is over


async def test_refused_latch_is_tried_again_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    assert latch_store.RETRY_S == 5.0
    monkeypatch.setattr(latch_store, "RETRY_S", 0.0)
    bench = Bench()
    bench.disk.fault = "the disk is full"
    async with bench.working():
        await until(lambda: bench.issues)
        bench.disk.fault = ""
        await bench.until_written(1)


async def test_disk_that_refuses_is_not_tried_without_a_pause() -> None:
    bench = Bench()
    bench.disk.fault = "the disk is full"
    async with bench.working():
        await until(lambda: bench.issues)
        await turns(1000)
        assert await asyncio.to_thread(lambda: bench.disk.tries) == 1


async def test_mistake_of_ours_is_no_fault_of_the_disk() -> None:
    bench = Bench()
    bench.disk.fault = "bug"
    with pytest.raises(ZeroDivisionError):
        await bench.store.settled()


async def test_answer_does_not_wait_for_a_disk_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert latch_store.ANSWER_S == 0.8
    monkeypatch.setattr(latch_store, "ANSWER_S", 0.05)
    bench = Bench()
    bench.disk.may_write.clear()
    try:
        assert await bench.store.settled() == "storing it takes longer than 0.05 s"
    finally:
        bench.disk.may_write.set()
    await bench.store.save()
    assert bench.disk.written == [FREE]


async def test_answer_is_about_the_latch_of_its_time() -> None:
    bench = Bench()
    bench.disk.may_write.clear()
    answer = asyncio.create_task(bench.store.settled())
    await turns()
    bench.store.put(STOPPED)
    bench.disk.may_write.set()
    assert await answer == ""
    assert bench.store.problem  # the newer one is not there yet


@pytest.mark.parametrize(
    ("latch", "stored", "spoiled"),
    [
        (STOPPED, FREE, True),  # a restart would undo the press
        (STOPPED, STOPPED, False),
        (FREE, FREE, False),
        (FREE, STOPPED, False),
    ],
)
async def test_press_that_cannot_be_stored_is_not_undone_by_a_restart(
    latch: Latch, stored: Latch, spoiled: bool
) -> None:
    bench = Bench(latch, encode_latch(stored))
    bench.disk.fault = "the card is worn out"
    assert not await bench.store.save()
    assert bench.disk.is_spoiled is spoiled


@pytest.mark.parametrize("doubt", ["missing", "empty", "problem", "no record"])
async def test_file_in_doubt_is_read_as_a_stop_and_stays(doubt: str) -> None:
    bench = Bench(STOPPED, encode_latch(FREE))
    bench.disk.fault = "the card is worn out"
    bench.disk.is_missing = doubt == "missing"
    bench.disk.problem = "one record is damaged" if doubt == "problem" else ""
    if doubt in ("empty", "no record"):
        bench.disk.stored = None if doubt == "empty" else b"x"
    assert not await bench.store.save()
    assert not bench.disk.is_spoiled


class TestClear:
    """Clears a router with one press, which was seen."""

    def make(self, latch: Latch = STOPPED) -> tuple[Bench, Router, LatchClearing]:
        bench = Bench(latch)
        router = Router(ROBOT, (), latch)
        clearing = LatchClearing(
            router, bench.store, StallWatch(1.0), lambda: bench.store.put(router.latch)
        )
        return bench, router, clearing

    async def test_next_generation_is_stored_as_stopped_before_the_release(self) -> None:
        bench, router, clearing = self.make()
        assert await clearing.clear("B", 8) == ""
        assert [(each.active, each.generation) for each in bench.disk.written] == [
            (True, 9),
            (False, 9),
        ]
        assert (router.latch.active, router.latch.source) == (False, "B")

    async def test_clear_without_a_stop_stores_nothing(self) -> None:
        bench, router, clearing = self.make(FREE)
        assert await clearing.clear("B", 3) == ""
        assert (bench.disk.written, router.latch) == ([], FREE)

    async def test_clear_that_has_not_seen_the_press_stores_nothing(self) -> None:
        bench, router, clearing = self.make()
        with pytest.raises(SaintError, match="none of its presses was seen"):
            await clearing.clear("B", 7)
        assert bench.disk.written == [] and router.latch.active

    async def test_release_that_cannot_be_stored_is_refused(self) -> None:
        bench, router, clearing = self.make()
        bench.disk.fault = "the disk is full"
        with pytest.raises(SaintError) as caught:
            await clearing.clear("B", 8)
        assert caught.value.code is Code.REFUSED
        assert caught.value.message == (
            "the e-stop stays active: its clear cannot be stored: the disk is full"
        )
        assert router.latch.active

    async def test_release_that_is_not_stored_in_the_end_says_why(self) -> None:
        bench, router, clearing = self.make()

        def settle() -> None:
            bench.disk.fault = "the card is worn out"
            bench.store.put(router.latch)

        clearing = LatchClearing(router, bench.store, StallWatch(1.0), settle)
        assert await clearing.clear("B", 8) == "the card is worn out"
        assert not router.latch.active
