"""A bus that is held open: newest commands, limited queues, a pulled adapter and its return."""

import socket
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from saint_services.lib.errors import Code, SaintError
from saint_services.lib.hw import held_line
from saint_services.lib.hw.can.frame import CanFrame
from saint_services.lib.hw.can.line import FRESH_S, MOST_WAITING, CanLine
from saint_services.lib.hw.can.port import BusState, CanState, fault
from tests.waiting import turns, until
from tools.sim.can_bus import BusFault, SimCan, break_bus


class NarrowBus:
    """A port that accepts frames only while it has room."""

    def __init__(self) -> None:
        self.room = 0
        self.sent: list[CanFrame] = []
        self.waiting: deque[CanFrame] = deque()
        self.is_gone = False
        self._ends = socket.socketpair()

    def fileno(self) -> int:
        return self._ends[0].fileno()

    def send(self, frame: CanFrame) -> bool:
        if self.is_gone:
            raise fault(Code.HARDWARE_FAULT, "fake", "the adapter was unplugged")
        if not self.room:
            return False
        self.room -= 1
        self.sent.append(frame)
        return True

    def receive(self) -> list[CanFrame]:
        return []

    def state(self) -> CanState:
        return CanState(sent=len(self.sent))

    def close(self) -> None:
        """Stay usable: a line opens it again."""

    def end(self) -> None:
        for each in self._ends:
            each.close()


class Rig:
    """A line on a bus, with what it reports."""

    def __init__(self, open_port: object) -> None:
        self.frames: list[CanFrame] = []
        self.events: list[str] = []
        self.now_s = 100.0
        self.line = CanLine(
            open_port,  # type: ignore[arg-type]
            self.frames.extend,
            lambda: self.events.append("open"),
            lambda err: self.events.append(str(err.message)),
            clock=lambda: self.now_s,
        )


@pytest.fixture
def narrow() -> Iterator[NarrowBus]:
    made = NarrowBus()
    yield made
    made.end()


async def test_newest_command_takes_the_place_of_a_waiting_one(narrow: NarrowBus) -> None:
    rig = Rig(lambda: narrow)
    rig.line.start()
    for number in range(3):
        rig.line.send(CanFrame(0x300, bytes((number,))))
        rig.line.send(CanFrame(0x300, bytes((number,)), True))
    narrow.room = 10
    await until(lambda: len(narrow.sent) == 2)
    assert narrow.sent == [CanFrame(0x300, b"\2"), CanFrame(0x300, b"\2", True)]
    assert rig.line.dropped == 4
    rig.line.close()


async def test_queue_is_limited_and_drops_the_oldest(narrow: NarrowBus) -> None:
    rig = Rig(lambda: narrow)
    rig.line.start()
    for number in range(MOST_WAITING + 3):
        rig.line.send(CanFrame(number))
    narrow.room = 100
    await until(lambda: len(narrow.sent) == MOST_WAITING)
    assert narrow.sent[0] == CanFrame(3) and rig.line.dropped == 3
    rig.line.close()


async def test_command_that_waited_too_long_is_never_sent(narrow: NarrowBus) -> None:
    rig = Rig(lambda: narrow)
    rig.line.start()
    rig.line.send(CanFrame(1))
    rig.now_s += FRESH_S + 0.001
    rig.line.send(CanFrame(2))
    narrow.room = 10
    await until(lambda: narrow.sent)
    assert narrow.sent == [CanFrame(2)] and rig.line.dropped == 1
    rig.line.close()


async def test_command_for_a_bus_that_is_not_open_is_dropped(narrow: NarrowBus) -> None:
    rig = Rig(lambda: narrow)
    rig.line.send(CanFrame(1))
    rig.line.start()
    narrow.room = 10
    await turns(5)
    assert narrow.sent == [] and rig.line.dropped == 1
    rig.line.close()


async def test_commands_that_wait_are_dropped_with_the_adapter(narrow: NarrowBus) -> None:
    rig = Rig(lambda: narrow)
    rig.line.start()
    rig.line.send(CanFrame(1))
    narrow.is_gone = True
    await until(lambda: not rig.line.is_open)
    narrow.is_gone, narrow.room = False, 10
    await until(lambda: rig.line.is_open)
    await turns(5)
    assert narrow.sent == [] and rig.events[0] == "open"
    assert "unplugged" in rig.events[1] and rig.events[2] == "open"
    rig.line.close()


async def test_pulled_adapter_is_reported_once_and_opened_again(tmp_path: Path) -> None:
    rig = Rig(lambda: SimCan(tmp_path, "can0"))
    other = SimCan(tmp_path, "can0")
    rig.line.start()
    rig.line.send(CanFrame(5, b"\1"))
    assert other.receive() == [CanFrame(5, b"\1")]
    other.send(CanFrame(6))
    await until(lambda: rig.frames == [CanFrame(6)])
    break_bus(tmp_path, "can0", BusFault.UNPLUGGED)
    rig.line.send(CanFrame(7))
    await until(lambda: not rig.line.is_open)
    assert rig.line.state is None
    await until(lambda: rig.line._held.failures > 2)
    break_bus(tmp_path, "can0", BusFault.NONE)
    await until(lambda: rig.line.is_open)
    assert rig.events == ["open", "CAN bus can0: the adapter was unplugged", "open"]
    rig.line.close()
    other.close()


async def test_missing_adapter_is_tried_again_with_growing_pauses(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held_line, "PAUSES_S", (0.001, 0.002))
    attempts = 0

    def refuse() -> SimCan:
        nonlocal attempts
        attempts += 1
        raise SaintError(Code.HARDWARE_MISSING, "no adapter")

    rig = Rig(refuse)
    rig.line.start()
    await until(lambda: attempts > 3)
    assert rig.events == ["no adapter"]
    rig.line.close()


async def test_bus_off_sends_nothing_old_after_its_end(tmp_path: Path) -> None:
    rig = Rig(lambda: SimCan(tmp_path, "can0"))
    other = SimCan(tmp_path, "can0")
    rig.line.start()
    break_bus(tmp_path, "can0", BusFault.BUS_OFF)
    rig.line.send(CanFrame(1))
    await until(lambda: rig.line.state and rig.line.state.bus is BusState.OFF)
    rig.now_s += 1.0
    await until(lambda: rig.line.dropped == 1)
    break_bus(tmp_path, "can0", BusFault.NONE)
    rig.line.send(CanFrame(2))
    await until(lambda: other.receive() == [CanFrame(2)])
    rig.line.close()
    other.close()
