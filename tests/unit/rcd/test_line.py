"""One receiver's line, on the event loop that the daemons run on."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvloop

from saint_services.rcd.adapters import LineListener, ReceiverLine
from saint_services.rcd.channels import Normalizer
from saint_services.rcd.config import Failsafe, ReceiverConnection
from saint_services.rcd.logic import Receiver, SignalChange
from tests.unit.rcd.rig import FRAME, Line
from tests.waiting import every

PAUSE_S = 0.1  # shorter than the time-out
STALL_S = 0.2  # longer than it


class EventRecorder:
    """Records the events of a line. With the first frame its process is stalled for a while, while
    the transmitter goes on sending.
    """

    def __init__(self, line: Line, stall_s: float) -> None:
        self.events: list[str] = []
        self._stall_s = stall_s
        self.lost = asyncio.Event()
        self._line = line
        self.listener = LineListener(
            self._on_frame, self._on_quiet, lambda _: None, lambda _, __: None
        )

    def _on_frame(self, _: ReceiverLine, outcome: SignalChange) -> None:
        self.events.append(outcome.name)
        if outcome is SignalChange.LOST:
            self.lost.set()
        if len(self.events) > 1:
            return
        for _ in every(0.01, for_s=self._stall_s):
            self._line.send(FRAME)

    def _on_quiet(self, _: ReceiverLine) -> None:
        self.events.append("QUIET")


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    made = Line(tmp_path / "receiver")
    yield made
    made.unplug()


def events_over(line: Line, stall_s: float) -> list[str]:
    """The line's outcomes, until the signal is lost."""

    async def listen() -> list[str]:
        recorder = EventRecorder(line, stall_s)
        uart = {"device": str(line.path)}
        connection = ReceiverConnection.model_validate({"protocol": "crsf", "uart": uart})
        receiver = Receiver(Normalizer([]), Failsafe(), needs_steady_start=False)
        made = ReceiverLine(connection, receiver, recorder.listener)
        made.start()
        line.send(FRAME)
        async with asyncio.timeout(5):
            await recorder.lost.wait()
        made.close("the test is over")
        return recorder.events

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(listen())


@pytest.mark.timed
def test_frames_that_arrive_while_the_process_gets_no_time_are_no_loss(line: Line) -> None:
    events = events_over(line, PAUSE_S)
    live = events.count(SignalChange.LIVE.name)
    assert live > 5 and events[:live] == [SignalChange.LIVE.name] * live  # one loss, at the end


def test_frames_that_waited_out_a_stall_are_dropped(line: Line) -> None:
    events = events_over(line, STALL_S)
    assert events.count(SignalChange.LIVE.name) == 1  # the one before
    assert events[-1] == SignalChange.LOST.name
