"""A device that is unplugged and plugged in again, with a clock of the test."""

import errno
import queue
import threading
from collections.abc import Iterator

import pytest

from saint_services.lib.hw.device_feed import DeviceFeed
from tests.waiting import block_until

GONE = OSError(errno.ENODEV, "No such device")


class FakeDevice:
    """Says what the test puts in; an error is raised."""

    def __init__(self) -> None:
        self.readings: queue.Queue[bytes | OSError | None] = queue.Queue()
        self.opened = self.closed = 0

    def open(self) -> None:
        self.opened += 1

    def read(self) -> bytes | None:
        found = self.readings.get(timeout=10.0)
        if isinstance(found, OSError):
            raise found
        return found

    def close(self) -> None:
        self.closed += 1


class Feed(DeviceFeed[bytes]):
    name = "whistle"
    silent = "does not blow"


class Waiting(threading.Event):
    """An event whose waits end at once and are written down."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.pauses.append(timeout)
        return self.is_set()


class Rig:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.device = FakeDevice()
        self.came: list[bytes] = []
        self.problems: list[str] = []
        self.waiting = Waiting()
        self.loop_has_ended = False
        # The thread's own start needs a real event.
        with monkeypatch.context() as patch:
            patch.setattr(DeviceFeed, "_run", lambda feed: None)
            self.feed = Feed(self.device, self._deliver, self.problems.append)
        self.feed._end = self.waiting
        self.thread = threading.Thread(target=self.feed._run, daemon=True)
        self.thread.start()

    def _deliver(self, data: bytes) -> None:
        if self.loop_has_ended:
            raise RuntimeError("the loop has ended")
        self.came.append(data)

    def say(self, *readings: bytes | OSError | None) -> None:
        for each in readings:
            self.device.readings.put(each)

    def end(self) -> None:
        self.feed.close()
        self.say(b"late")
        self.thread.join(10.0)
        assert not self.thread.is_alive()


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = Rig(monkeypatch)
    yield made
    made.end()


def test_pauses_grow_while_it_is_away_and_begin_again_once_it_was_there(rig: Rig) -> None:
    rig.say(GONE, GONE, GONE, GONE, GONE, GONE, b"1", b"2", GONE, b"3")
    block_until(lambda: rig.came == [b"1", b"2", b"3"], 10.0)
    assert rig.waiting.pauses == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 0.5]
    assert rig.device.opened == 8 and rig.device.closed == 7


def test_problem_is_named_and_ends_with_the_first_reading(rig: Rig) -> None:
    rig.say(GONE, None, b"1")
    block_until(lambda: len(rig.problems) == 3, 10.0)
    assert rig.problems == ["the whistle is gone (No such device)", "the whistle does not blow", ""]


def test_nothing_is_delivered_or_reported_after_the_end(rig: Rig) -> None:
    rig.say(b"1")
    block_until(lambda: rig.came == [b"1"], 10.0)
    rig.end()
    assert rig.came == [b"1"] and rig.problems == [""]
    assert rig.device.opened == rig.device.closed == 1


def test_thread_ends_with_its_loop(rig: Rig) -> None:
    rig.loop_has_ended = True
    rig.say(b"1")
    rig.thread.join(10.0)
    assert not rig.thread.is_alive() and rig.device.closed == 1
